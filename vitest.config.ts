/**
 * Five projects. `unit` reads the sources and needs no build; `process` starts programs from dist; `redis` runs against
 * real servers that it starts itself; `lab` runs the lab; `package` looks at the packed tarball. Set HOLDFAST_TEST_REPORT to a path to have
 * the results written there as JSON as well.
 */
import { defineConfig } from 'vitest/config'

const report = process.env.HOLDFAST_TEST_REPORT

const source = (path: string): string => new URL(`./packages/holdfast/src/${path}`, import.meta.url).pathname

export default defineConfig({
  resolve: {
    alias: [
      { find: /^holdfast$/, replacement: source('index.ts') },
      { find: /^holdfast\/memory$/, replacement: source('backends/memory/index.ts') },
      { find: /^holdfast\/sqlite$/, replacement: source('backends/sqlite/index.ts') },
      { find: /^holdfast\/redis$/, replacement: source('backends/redis/index.ts') },
      { find: /^holdfast\/quorum$/, replacement: source('backends/quorum/index.ts') },
      { find: /^holdfast\/guard$/, replacement: source('guards/index.ts') },
    ],
  },
  test: {
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    allowOnly: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
          testTimeout: 20_000,
          include: ['packages/*/test/**/*.test.ts'],
          exclude: [
            'packages/*/test/process/**',
            'packages/*/test/redis/**',
            'packages/*/test/lab/**',
            '**/package.test.ts',
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'process',
          // Alone on the machine: these measure deadlines and start several processes each.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          include: ['packages/*/test/process/**/*.test.ts'],
          globalSetup: ['scripts/need-build.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'redis',
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
          include: ['packages/*/test/redis/**/*.test.ts'],
          globalSetup: ['scripts/servers/vitest-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'lab',
          maxWorkers: 1,
          // Each scene is several processes.
          maxConcurrency: 5,
          sequence: { groupOrder: 4 },
          include: ['packages/*/test/lab/**/*.test.ts'],
          globalSetup: ['scripts/need-build.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'package',
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
          include: ['packages/*/test/package.test.ts'],
          globalSetup: ['scripts/need-build.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
