/** All scenes. */
import { DATABASE_SCENES } from './databases.ts'
import { HAND_MADE_SCENES } from './hand-made.ts'
import { PRIMITIVE_SCENES } from './primitives.ts'
import type { Scene } from './scene.ts'

export const SCENES: readonly Scene[] = [...HAND_MADE_SCENES, ...DATABASE_SCENES, ...PRIMITIVE_SCENES]

/** @throws {TypeError} there is none of that name */
export function sceneOf(name: string): Scene {
  const found = SCENES.find((scene) => scene.name === name)
  if (found === undefined) throw new TypeError(`there is no scene ${JSON.stringify(name)}: see \`holdfast-lab list\``)
  return found
}
