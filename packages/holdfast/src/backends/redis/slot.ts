/** Which of a cluster's 16384 slots keeps a key: the checksum (CRC-16, XMODEM) of its hash tag. */

const SLOTS = 16_384
const POLYNOMIAL = 0x1021

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 8
  for (let bit = 0; bit < 8; bit++) sum = (sum & 0x8000) === 0 ? sum << 1 : (sum << 1) ^ POLYNOMIAL
  return sum
})

export function slotOf(key: string): number {
  let sum = 0
  for (const byte of Buffer.from(tagOf(key))) sum = ((sum << 8) & 0xffff) ^ (TABLE[(sum >> 8) ^ byte] ?? 0)
  return sum % SLOTS
}

/** What stands between the first `{` and the next `}`, if anything does. */
function tagOf(key: string): string {
  const from = key.indexOf('{')
  const to = key.indexOf('}', from + 1)
  return from >= 0 && to > from + 1 ? key.slice(from + 1, to) : key
}
