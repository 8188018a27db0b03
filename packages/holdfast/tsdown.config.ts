/**
 * Builds the library. Every entry is written as ESM and as CommonJS with declarations for each; the command line and
 * the heartbeat worker exist as ESM only. A new entry is added here and under `exports` in package.json; the package
 * test compares the two.
 */
import { defineConfig, type UserConfig } from 'tsdown'

/** What users import, by the name under dist. */
const entries: Readonly<Record<string, string>> = {
  index: 'src/index.ts',
  memory: 'src/backends/memory/index.ts',
  sqlite: 'src/backends/sqlite/index.ts',
  redis: 'src/backends/redis/index.ts',
  quorum: 'src/backends/quorum/index.ts',
  guard: 'src/guards/index.ts',
  verify: 'src/verify/index.ts',
}

/** What is started, never imported: `new Worker(new URL('./worker.mjs', …))` finds the worker from both formats. */
const programs: Readonly<Record<string, string>> = {
  cli: 'src/cli/main.ts',
  worker: 'src/keeper/worker.ts',
}

const shared: UserConfig = {
  target: 'node20',
  platform: 'node',
  fixedExtension: true,
  hash: false,
  treeshake: true,
  report: false,
  logLevel: 'warn',
  deps: { neverBundle: ['libsql', 'better-sqlite3', 'node:sqlite', 'ioredis', 'redis'], onlyBundle: [] },
  failOnWarn: true,
  checks: { legacyCjs: false },
  dts: { entry: Object.values(entries) },
  outputOptions: (options) => ({
    ...options,
    // Shared pieces get a prefix, or a piece named after an entry would take the entry's place among the declarations.
    // No folder: `./worker.mjs` must be right from a piece as well.
    chunkFileNames: `chunk-${String(options.chunkFileNames)}`,
    // Jest runs CommonJS without `import()`, so a driver that is loaded on demand must come by `require` there.
    dynamicImportInCjs: false,
    // The bundler's own functions get a piece of their own; else an entry would export them beside its own names.
    codeSplitting: { groups: [{ name: 'runtime', test: /^\0rolldown\/runtime/ }] },
  }),
}

export default defineConfig([
  { ...shared, entry: { ...entries, ...programs }, format: 'esm' },
  { ...shared, entry: { ...entries }, format: 'cjs', shims: true, clean: false },
])
