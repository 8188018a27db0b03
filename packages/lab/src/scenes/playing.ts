/** Plays a scene with one strategy and keeps what happened. */
import type { Addresses } from '../shop/addresses.ts'
import { strategyOf } from '../strategies/index.ts'
import { SCENES } from './index.ts'
import type { Case, Outcome, Scene } from './scene.ts'
import { Stage } from './stage.ts'
import type { Belief, Happening } from './timeline.ts'

export interface PlayedScene {
  readonly scene: Scene
  readonly strategy: string
  readonly expect: Case['expect']
  readonly outcome: Outcome
  readonly happenings: readonly Happening[]
  readonly beliefs: readonly Belief[]
}

/** @param script the program of one process */
export async function playScene(
  scene: Scene,
  { strategy, expect }: Case,
  addresses: Addresses,
  script: string,
): Promise<PlayedScene> {
  const stage = await Stage.open(strategyOf(strategy), addresses, script)
  try {
    const outcome = await scene.play(stage)
    await stage.books()
    stage.says(outcome.says)
    return { scene, strategy, expect, outcome, happenings: inOrder(stage.happenings), beliefs: stage.beliefs }
  } finally {
    await stage.close()
  }
}

/** The scenes of one strategy. */
export function scenesOf(strategy: string): readonly { readonly scene: Scene; readonly part: Case }[] {
  return SCENES.flatMap((scene) =>
    scene.cases.filter((part) => part.strategy === strategy).map((part) => ({ scene, part })),
  )
}

/** What is told by several processes arrives in another order than it happened. */
function inOrder(happenings: readonly Happening[]): readonly Happening[] {
  return [...happenings].sort((a, b) => a.atMs - b.atMs)
}
