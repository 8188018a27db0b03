/**
 * The documents and examples stand at the root of this repository but belong into the package, where the README's links
 * lead to them. Before packing they are copied beside its package.json; with --remove, afterwards, the copies go again.
 */
import { cpSync, existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

if (!existsSync(new URL('../packages/holdfast/dist/index.mjs', import.meta.url))) {
  throw new Error('there is nothing to pack yet: run `npm run build` first')
}

for (const name of ['LICENSE', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'docs', 'examples']) {
  const copy = fileURLToPath(new URL(`../packages/holdfast/${name}`, import.meta.url))
  if (process.argv.includes('--remove')) rmSync(copy, { force: true, recursive: true })
  else cpSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), copy, { recursive: true })
}
