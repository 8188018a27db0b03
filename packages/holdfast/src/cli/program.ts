/**
 * One call of `holdfast`: the words are checked, the store is opened, one command is carried out, the store is closed,
 * and the answer is printed in the form that was asked for. The exit code is given back, never forced: what is still
 * to be written gets written.
 */
import packageFile from '../../package.json' with { type: 'json' }
import { systemClock } from '../clock.ts'
import type { Holdfast } from '../index.ts'
import { acquire } from './acquire.ts'
import { type Answer, failureAnswer, type Place } from './answer.ts'
import { type CommandLine, parseCommandLine, wantsJson } from './arguments.ts'
import { type CommandName, commandOf, refuseForeignFlags } from './command-names.ts'
import { EXIT } from './exit-code.ts'
import { helpText } from './help.ts'
import { list, show } from './listing.ts'
import { acquireOrder, listOrder, releaseOrder, runOrder, showOrder, storeSetting } from './orders.ts'
import { outliveReaders, reached, remark, withholdExperiments } from './output.ts'
import { release } from './release.ts'
import { run } from './run.ts'
import { openStore, shownUrl } from './store.ts'
import { styleOf } from './table.ts'
import { UsageError } from './usage-error.ts'
import { jsonLine } from './visible-text.ts'

/** Carried out on an open store; the second part is what to do if the answer reaches nobody. */
type Errand = (
  locks: Holdfast,
) => Promise<Answer | { readonly answer: Answer; readonly undo: (() => Promise<void>) | null }>

interface Plan {
  readonly command: CommandName
  readonly place: Partial<Place> & Omit<Place, 'name'>
  readonly errand: Errand
  readonly open: () => Holdfast
}

/** @returns the exit code */
export async function program(words: readonly string[], programFile: string): Promise<number> {
  outliveReaders()
  withholdExperiments()
  const json = wantsJson(words)
  let plan: Plan
  try {
    const line = parseCommandLine(words)
    if (line.flags.has('version')) return await said(versionAnswer(), json)
    if (line.flags.has('help') || words.length === 0) return await said(helpAnswer(line, words), json)
    plan = planned(line, programFile)
  } catch (error) {
    return await said(misuse(error, words), json)
  }
  return await carriedOut(plan, json)
}

function planned(line: CommandLine, programFile: string): Plan {
  const command = commandOf(line.command)
  refuseForeignFlags(command, line.flags.keys())
  const setting = storeSetting(line, process.env)
  const where = { store: shownUrl(setting), namespace: setting.namespace }
  const errandOn = (name: string | null, errand: Errand): Plan => ({
    command,
    place: name === null ? where : { name, ...where },
    errand,
    open: () => openStore(setting),
  })
  switch (command) {
    case 'run': {
      const order = runOrder(line)
      const place = { name: order.name, ...where }
      const around = { clock: systemClock, place, ttlMs: setting.ttlMs, program: programFile, remark }
      return errandOn(order.name, (locks) => run(locks, order, around))
    }
    case 'acquire': {
      const order = acquireOrder(line)
      return errandOn(order.name, (locks) => acquire(locks, order, { name: order.name, ...where }, systemClock))
    }
    case 'release': {
      const order = releaseOrder(line)
      return errandOn(order.name, (locks) => release(locks, order, { name: order.name, ...where }))
    }
    case 'ls': {
      const { prefix } = listOrder(line)
      return errandOn(null, (locks) => list(locks, prefix, where))
    }
    case 'show': {
      const { name } = showOrder(line)
      return errandOn(name, (locks) => show(locks, { name, ...where }))
    }
  }
}

async function carriedOut({ command, place, errand, open }: Plan, json: boolean): Promise<number> {
  let locks: Holdfast | null = null
  try {
    locks = open()
    const done = await errand(locks)
    const { answer, undo } = 'answer' in done ? done : { answer: done, undo: null }
    const exitCode = await said(answer, json, command)
    if (exitCode === EXIT.output) await undo?.()
    return exitCode
  } catch (error) {
    return await said(failureAnswer(error, place, EXIT.busy), json, command)
  } finally {
    await locks?.close()
  }
}

/** The exit code of the answer, or 74 when its text could not be written. */
async function said(answer: Answer, json: boolean, command: CommandName | null = null): Promise<number> {
  // The command that `run` starts owns stdout, so the outcome goes where messages go.
  if (json) {
    const stream = command === 'run' ? process.stderr : process.stdout
    return (await reached(stream, `${jsonLine(answer.document)}\n`)) ? answer.exitCode : EXIT.output
  }
  for (const text of answer.remarks) remark(text)
  const text = answer.text(styleOf(process.stdout, process.env))
  return (await reached(process.stdout, text)) ? answer.exitCode : EXIT.output
}

function misuse(error: unknown, words: readonly string[]): Answer {
  const answer = failureAnswer(error, {}, EXIT.busy)
  if (!(error instanceof UsageError)) return answer
  const command = error.command ?? words.find((word) => !word.startsWith('-')) ?? null
  const help = helpText(command) === helpText(null) ? 'holdfast --help' : `holdfast ${command} --help`
  return { ...answer, remarks: [...answer.remarks, `see: ${help}`] }
}

function versionAnswer(): Answer {
  const { version } = packageFile
  return {
    exitCode: EXIT.done,
    document: { outcome: 'version', exitCode: EXIT.done, version },
    text: () => `${version}\n`,
    remarks: [],
  }
}

function helpAnswer({ command }: CommandLine, words: readonly string[]): Answer {
  const text = helpText(command)
  // Called with nothing, somebody may have forgotten a variable in a script: the help, but not as a success.
  const exitCode = words.length === 0 ? EXIT.usage : EXIT.done
  return { exitCode, document: { outcome: 'help', exitCode, help: text }, text: () => text, remarks: [] }
}
