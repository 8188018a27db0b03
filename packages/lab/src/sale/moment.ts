/** The monotonic clock. Its moments may be compared between the processes of one machine, but not across a reboot. */

export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
