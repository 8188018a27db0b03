/**
 * Reads a test report and prints `passed failed`. A test that did not run is no passed one: skipped tests count as
 * failed, and so does a run that failed outside of any test or left no report.
 *
 * Arguments: the report, the exit status of the run.
 */
import { readFileSync } from 'node:fs'

const [path = '', status = '1'] = process.argv.slice(2)

/** @returns {[passed: number, failed: number]} */
function count() {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'))
    const failed = report.numFailedTests + report.numPendingTests + report.numTodoTests
    const outside = failed === 0 && (status !== '0' || report.success !== true || report.numPassedTests === 0) ? 1 : 0
    return [report.numPassedTests, failed + outside]
  } catch {
    return [0, 1]
  }
}

process.stdout.write(`${count().join(' ')}\n`)
