/**
 * Builds the programs of the lab: every file directly under src is one. They import the built library as any user
 * does, so `holdfast` stays outside.
 */
import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: ['src/*.ts'],
  format: 'esm',
  target: 'node20',
  platform: 'node',
  fixedExtension: true,
  hash: false,
  report: false,
  logLevel: 'warn',
  dts: false,
  deps: { skipNodeModulesBundle: true },
})
