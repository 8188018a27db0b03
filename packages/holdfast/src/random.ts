/**
 * The only module that touches randomness. Ids are unguessable and never repeat; jitter only spreads load and is
 * never relied on for safety.
 */
import { randomBytes } from 'node:crypto'

export interface Random {
  /** A fresh id of 16 letters and digits, safe in keys, file names and URLs. */
  id(): string
  /** A number in [0, 1). */
  fraction(): number
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuv'

export const systemRandom: Random = {
  id: () => Array.from(randomBytes(16), (byte) => ALPHABET[byte & 31]).join(''),
  fraction: () => randomBytes(4).readUInt32LE() / 2 ** 32,
}

/** `ms` spread over the upper half of itself, so that many waiters do not ask at once. */
export function jittered(random: Random, ms: number): number {
  return ms * (0.5 + random.fraction() / 2)
}
