/**
 * What the port promises, on any store: plain functions of a bench. Each takes its clients from the bench and expects;
 * who reads them has read the contract.
 */
import type { Bench } from './bench.ts'

/** A sentence that is true of every store, and the proof. */
export type Facts = Readonly<Record<string, (bench: Bench) => Promise<void>>>
