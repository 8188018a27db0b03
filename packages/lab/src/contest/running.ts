/** `holdfast-lab run` and `scene`: one thing after the other, with its progress, and what came of it. */
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type Findings, type FoundStrategy, keep } from '../findings/findings.ts'
import { openProgress } from '../sale/progress.ts'
import { openWorkplace } from '../sale/workplace.ts'
import { sceneOf } from '../scenes/index.ts'
import { type PlayedScene, playScene, scenesOf } from '../scenes/playing.ts'
import { linesOf } from '../scenes/timeline.ts'
import { MISSING, STRATEGIES, strategyOf } from '../strategies/index.ts'
import type { Strategy } from '../strategies/strategy.ts'
import type { RunCommand, SceneCommand } from './command-line.ts'
import { killHands } from './hand.ts'
import { resultTable } from './results.ts'
import { holdSale } from './sale.ts'
import { SERVER_NAMES, type Servers, startServers } from './servers.ts'
import { sourceOf } from './source.ts'
import { judge } from './verdict.ts'

const SCRIPT = fileURLToPath(new URL('./lab-shop.mjs', import.meta.url))

/** @returns the exit code: 1 when something was not as it says of itself */
export async function run(command: RunCommand, out: NodeJS.WriteStream): Promise<number> {
  // Better now than when all has been played.
  closeSync(openSync(command.out, 'a'))
  const servers = await startServers(command.servers, openPlace())
  try {
    const wanted = command.strategies?.map(strategyOf) ?? STRATEGIES
    const able = wanted.filter(({ store }) => servers.has(store))
    const found: FoundStrategy[] = []
    for (const strategy of able) found.push(await tryOut(strategy, command, servers, out))
    const left = wanted.filter(({ store }) => !servers.has(store))
    const leftOut = [...left.map(({ store, ...strategy }) => ({ ...strategy, needs: store })), ...MISSING].map(
      ({ name, step, title, needs }) => ({ name, step, title, needs }),
    )
    const machine = [`Node ${process.version}`, `${cpus().length} processors`]
    const findings: Findings = {
      at: new Date().toISOString(),
      machine,
      crowd: command.crowd,
      strategies: found,
      leftOut,
    }
    out.write(`\n${resultTable(findings)}\n`)
    keep(findings, command.out)
    out.write(`Kept in ${command.out}; \`holdfast-lab report\` draws it.\n`)
    const surprises = found.flatMap(({ name, judged }) => judged.surprises.map((what) => `${name}: ${what}`))
    for (const surprise of surprises) out.write(`not as it says: ${surprise}\n`)
    return surprises.length === 0 ? 0 : 1
  } finally {
    await servers.stop()
  }
}

async function tryOut(
  strategy: Strategy,
  { crowd }: RunCommand,
  { addresses }: Servers,
  out: NodeJS.WriteStream,
): Promise<FoundStrategy> {
  const progress = openProgress(out, strategy.name.padEnd(26), crowd.requests)
  const sale = await holdSale(strategy, crowd, addresses, SCRIPT, progress.update)
  progress.end()
  const played: PlayedScene[] = []
  for (const { scene, part } of scenesOf(strategy.name)) played.push(await playScene(scene, part, addresses, SCRIPT))
  const { name, step, title, store, made, fixes, leaves, verdict: claims } = strategy
  return {
    ...{ name, step, title, store, made, fixes, leaves, claims },
    source: sourceOf(strategy),
    sale,
    scenes: played.map(asFound),
    judged: judge(strategy, sale, played),
  }
}

function asFound({ scene, strategy, outcome, happenings, beliefs }: PlayedScene): FoundStrategy['scenes'][number] {
  return { name: scene.name, title: scene.title, strategy, ...outcome, happenings, beliefs }
}

/** @returns the exit code: 1 when a case showed something else than it should */
export async function showScene({ scene: name, times }: SceneCommand, out: NodeJS.WriteStream): Promise<number> {
  const scene = sceneOf(name)
  const stores = new Set(scene.cases.map(({ strategy }) => strategyOf(strategy).store))
  const servers = await startServers(
    SERVER_NAMES.filter((server) => stores.has(server)),
    openPlace(),
  )
  let exitCode = 0
  try {
    out.write(`${scene.title}\n`)
    for (const part of scene.cases) {
      let asExpected = 0
      for (let time = 1; time <= times; time += 1) {
        const { outcome, happenings } = await playScene(scene, part, servers.addresses, SCRIPT)
        const expected = outcome.broken === (part.expect === 'breaks')
        if (expected) asExpected += 1
        // The first one, and whatever is not as it should be.
        if (time === 1 || !expected) {
          out.write(`\n${strategyOf(part.strategy).title} (${part.strategy})\n${linesOf(happenings).join('\n')}\n`)
        }
      }
      out.write(`  it ${part.expect} in ${asExpected} of ${times}\n`)
      if (asExpected < times) exitCode = 1
    }
    return exitCode
  } finally {
    await servers.stop()
  }
}

/** A folder that is gone when the lab is, also when the lab is killed: a shell waits for its end and sweeps. */
function openPlace(): string {
  const folder = openWorkplace('lab', killHands)
  // The servers keep their files below it.
  process.env.HOLDFAST_SERVERS_FOLDER = folder
  // It reads until the lab's end of the pipe closes, whoever closes it; what still dies may still write.
  const sweeper = spawn('sh', ['-c', 'read -r _; sleep 1; rm -rf -- "$1"', 'sh', folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  sweeper.unref()
  return folder
}
