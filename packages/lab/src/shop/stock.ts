/**
 * The stock of one item in one store, and a receipt for each piece sold. Reading and writing back are two steps on
 * purpose, as in any program that pays, mails or computes in between.
 */
import type { Addresses } from './addresses.ts'
import type { Meter } from './meter.ts'

export interface Books {
  readonly left: number
  /** Receipts. */
  readonly sold: number
}

export interface Stock {
  fill(pieces: number): Promise<void>
  left(): Promise<number>
  /** Writes what the caller believes is left, and a receipt, in one step. */
  writeBack(left: number): Promise<void>
  books(): Promise<Books>
  close(): Promise<void>
}

/** @param item also the name of its keys, rows or file: no two runs share one */
export type OpenStock = (item: string, addresses: Addresses, meter: Meter) => Promise<Stock>
