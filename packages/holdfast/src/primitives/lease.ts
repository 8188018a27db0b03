/**
 * The lease objects that users hold: thin views of a grant. Every question is answered by comparing clocks at that very
 * moment, never by a flag that a timer would have had to set.
 */
import type { Lease, PermitLease, ReadLease, WriteLease } from '../api.ts'
import { showOnConsole } from '../console.ts'
import { type Duration, parseDuration } from '../duration.ts'
import { BackendUnavailableError, NotHeldError } from '../errors.ts'
import type { Front } from '../front/front.ts'
import type { Grant } from '../front/grant.ts'
import { decimal, writable } from '../json.ts'
import { patiently } from '../keeper/patience.ts'
import { checkSignalOnly } from '../options.ts'

/** The grant behind a lease of this copy of the package. */
export function grantOf(lease: unknown): Grant | undefined {
  return lease instanceof BaseLease ? BaseLease.grantOf(lease) : undefined
}

/** What all leases of one claim have; the kinds add their own. */
export class BaseLease implements Omit<Lease, 'fence'> {
  protected readonly grant: Grant

  constructor(grant: Grant) {
    this.grant = grant
  }

  static grantOf(lease: BaseLease): Grant {
    return lease.grant
  }

  get name(): string {
    return this.grant.hold.name
  }
  get id(): string {
    return this.grant.id
  }
  get waitedMs(): number {
    return this.grant.waitedMs
  }
  get signal(): AbortSignal {
    return this.grant.signal
  }

  isHeld(): boolean {
    return this.grant.check() === 'held'
  }
  assertHeld(atLeast?: Duration): void {
    const leastMs = atLeast === undefined ? 0 : parseDuration('atLeast', atLeast)
    assertGrant(this.grant)
    const leftMs = this.grant.validForMs()
    if (leftMs < leastMs) {
      throw new NotHeldError(
        `the lease on "${this.name}" is safe for ${Math.floor(leftMs)} ms only, less than ${atLeast}`,
      )
    }
  }
  validForMs(): number {
    return this.grant.validForMs()
  }
  async confirm(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    const { signal } = checkSignalOnly(options)
    signal?.throwIfAborted()
    assertLive(this.grant)
    const { keeper, claim } = this.grant.hold
    keeper.vigil.begin()
    const told = await patiently(keeper.clock, keeper.refresh(claim), { signal }).finally(() => keeper.vigil.end())
    assertGrant(this.grant)
    if (!told) throw new BackendUnavailableError(`the store did not confirm the lease on "${this.name}"`)
  }
  async release(): Promise<boolean> {
    return releaseGrant(this.grant)
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }
  /** What `console.log` shows: a few of its answers, for it has no fields that would say anything. */
  static {
    showOnConsole(BaseLease.prototype, 'Lease', (lease) => lease.shown())
  }
  protected shown(): Readonly<Record<string, unknown>> {
    return { name: this.name, held: this.isHeld() }
  }
  toJSON(): Readonly<Record<string, unknown>> {
    return {
      name: this.name,
      id: this.id,
      held: this.isHeld(),
      validForMs: Math.floor(this.validForMs()),
      waitedMs: Math.round(this.waitedMs),
    }
  }
}

class FencedLease extends BaseLease implements Lease {
  get fence(): bigint {
    return this.grant.fence
  }
  override toJSON(): Readonly<Record<string, unknown>> {
    return { ...super.toJSON(), fence: String(this.fence) }
  }
  protected override shown(): Readonly<Record<string, unknown>> {
    return { ...super.shown(), fence: this.fence }
  }
}

export class MutexLease extends FencedLease {}

export class SharedLease extends FencedLease implements ReadLease {
  readonly mode = 'read'
}

export class ExclusiveLease extends FencedLease implements WriteLease {
  readonly mode = 'write'

  async downgrade(): Promise<ReadLease> {
    const { grant } = this
    const { hold } = grant
    assertGrant(grant)
    if (grant.parent !== null)
      throw new TypeError(`the write lease on "${this.name}" is nested in another and cannot be downgraded`)
    if (hold.users.some((user) => user !== grant && !user.shared)) {
      throw new TypeError(`the write lease on "${this.name}" has a writer nested in it and cannot be downgraded`)
    }
    const wish = { label: grant.label, shared: true, maxHoldMs: null }
    const reader = hold.grant(wish, grant.waitedMs, hold.keeper.clock.monotonicMs())
    grant.successor = reader
    hold.release(grant)
    hold.keeper.vigil.begin()
    await shrink(reader).finally(() => hold.keeper.vigil.end())
    if (reader.check() === 'lost') throw reader.lossError()
    return new SharedLease(reader)
  }
}

export class CountedLease extends BaseLease implements PermitLease {
  get slot(): PermitLease['slot'] {
    const { slot } = this.grant.hold.claim
    return slot === null ? null : writable({ number: slot, fence: this.grant.fence })
  }
  override toJSON(): Readonly<Record<string, unknown>> {
    const { slot } = this
    return { ...super.toJSON(), slot: slot === null ? null : decimal(slot) }
  }
  protected override shown(): Readonly<Record<string, unknown>> {
    return { ...super.shown(), slot: this.slot }
  }
}

/** @throws {LeaseLostError | NotHeldError} */
export function assertGrant(grant: Grant): void {
  const now = grant.check()
  if (now === 'held') return
  if (now === 'lost') throw grant.lossError()
  const why = now === 'released' ? 'has been released' : 'is in doubt: the clocks of this machine moved apart'
  throw new NotHeldError(`the lease on "${grant.hold.name}" ${why}`)
}

/** As {@link assertGrant}, but a lease in doubt passes: to ask the store is what ends the doubt. */
function assertLive(grant: Grant): void {
  if (grant.check() !== 'suspect') assertGrant(grant)
}

export function releaseGrant(grant: Grant): boolean | Promise<boolean> {
  return (grant.hold.owner as Front).release(grant)
}

/** Tells the store that the writer only reads now, and goes on telling it behind the caller's back if need be. */
async function shrink(reader: Grant): Promise<void> {
  const { hold } = reader
  const told = await hold.keeper.amend(hold.claim, { weight: 1 })
  if (!told && !hold.over && hold.claim.state === 'open') void shrink(reader)
  else (hold.owner as Front).changed()
}
