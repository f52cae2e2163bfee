/** The shapes inside the frames between the server and its sandbox processes. */
import type { ScriptErrorCode, ScriptKind } from './types.ts'

/** A script as sent to a sandbox process; `key` is the same exactly when everything else is. */
export interface Definition {
  readonly key: string
  readonly group: string
  readonly kind: ScriptKind
  readonly source: string
  readonly parameters: readonly string[]
  readonly recvTime: 'iso' | 'date'
}

/** First line of a run frame; the JSON array of inputs follows after a line feed. */
export interface RunHead {
  readonly key: string
  readonly total: number
  readonly entry: 'decode' | 'encode'
  readonly console: boolean
  /** Inputs from here to `singleUntil` run one by one, because the process died at one of them. */
  readonly singleUntil: number
  /** Timeouts after which the remaining inputs fail without being run. */
  readonly timeoutsMax: number
  /** Inputs that crashed the process; they fail without being run. */
  readonly crashed: readonly number[]
}

/**
 * First line of a frame with results: `[inputs, microseconds]` for each of its slices, and the time the
 * process spent on the call since the previous frame.
 */
export interface PartHead {
  readonly slices: readonly (readonly [number, number])[]
  readonly busyUs: number
}

/**
 * One result on the wire, with short names because there are so many: v value, w warnings, c error code, e
 * message, s stack, l console lines. A good result without a value has neither v nor c.
 */
export interface WireAnswer {
  readonly v?: unknown
  readonly w?: readonly string[]
  readonly c?: ScriptErrorCode
  readonly e?: string
  readonly s?: string
  readonly l?: readonly string[]
}

/** The position of a process, written to a file before each slice so that it can be read after its death. */
export interface Mark {
  readonly call: number
  readonly next: number
  readonly single: boolean
}

export const MARK_BYTES = 12

/** A mark in the format of the file: three 32-bit numbers, little-endian. */
export function encodeMark(into: Buffer, mark: Mark): void {
  into.writeUInt32LE(mark.call, 0)
  into.writeUInt32LE(mark.next, 4)
  into.writeUInt32LE(mark.single ? 1 : 0, 8)
}

export function decodeMark(from: Buffer): Mark {
  return { call: from.readUInt32LE(0), next: from.readUInt32LE(4), single: from.readUInt32LE(8) === 1 }
}
