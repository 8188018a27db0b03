/**
 * How much an entry costs who bundles it: minified and gzipped, with everything it imports outright. Pieces that it
 * loads on demand are left out, as they are in a running program until they are needed.
 */
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

export interface Size {
  readonly bytes: number
  /** What would be loaded later. */
  readonly later: readonly string[]
}

export async function sizeOf(file: string): Promise<Size> {
  const later: string[] = []
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    plugins: [
      {
        name: 'leave out what is loaded on demand',
        setup: ({ onResolve }) => {
          onResolve({ filter: /.*/ }, ({ kind, path }) => {
            if (kind !== 'dynamic-import') return undefined
            later.push(path)
            return { path, external: true }
          })
        },
      },
    ],
  })
  const bytes = outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0)
  return { bytes, later }
}
