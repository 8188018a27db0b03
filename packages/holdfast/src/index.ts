/** The root entry of the package: the object, its types, durations and errors. Backends have entries of their own. */
export type {
  Barrier,
  Cell,
  Election,
  FrontOptions,
  Holdfast,
  HoldfastOptions,
  Latch,
  Leader,
  Lease,
  LineView,
  Lockable,
  MultiLease,
  MutexOptions,
  PermitLease,
  PermitOptions,
  Ran,
  ReadLease,
  Status,
  TakeOptions,
  WriteLease,
} from './api.ts'
export type { Backend } from './backend.ts'
export { type Duration, duration } from './duration.ts'
export {
  BackendRefusedError,
  BackendUnavailableError,
  type ClaimView,
  ClosedError,
  DeadlockError,
  type ErrorByCode,
  HoldfastError,
  isHoldfastError,
  LeaseLostError,
  type LossReason,
  NotHeldError,
  QuorumError,
  StaleFenceError,
  UnsupportedError,
  WaitTimeoutError,
} from './errors.ts'
export type {
  EventByChannel,
  HeldLongEvent,
  HintMissedEvent,
  LeakEvent,
  LostEvent,
  ReleaseEvent,
  SessionEvent,
  TakeEvent,
  WarningEvent,
} from './events.ts'
export { holdfast } from './holdfast.ts'
