import type { ErrorCode } from '@leitstand/contract/errors'
import type * as z from 'zod'

/** What reading one file may take; more ends the process that reads it. */
export const readerLimits = {
  /** processes at once, each reading one file */
  processesMax: 2,
  /** files that wait, of all accounts and of one; more are asked to come back */
  waitingMax: 200,
  waitingOfAccountMax: 50,
  /** the same in bytes, as files that wait are in memory */
  waitingBytesMax: 256 * 1_048_576,
  waitingBytesOfAccountMax: 64 * 1_048_576,
  /** from its start to the last part of its answer */
  timeMs: 30_000,
  heapMegabytesMax: 512,
  /** all memory the process may write to, also outside of V8's heap; Node itself takes some 600 MB of it */
  dataKilobytesMax: 1_600_000,
  /** processor time of one process in its whole life: ends one whose server has died */
  processorSecondsMax: 900,
  /** one part of an answer: what the server parses in one go */
  partBytesMax: 2 * 1_048_576,
  /** all parts of an answer */
  answerBytesMax: 128 * 1_048_576,
  /** a process without work ends after this time */
  idleMs: 10_000,
  /** files one process reads before another takes its place */
  filesMax: 20,
} as const
export type ReaderLimits = { readonly [name in keyof typeof readerLimits]: number }

/** A way to read files of users. What reads is a module of its own, because it runs in another process. */
export interface ReadTask<Input, Part> {
  /** for the log */
  readonly name: string
  /** module whose default export is a `ReadFunction` for this input */
  readonly module: URL
  /** what the module needs to know beside the bytes; only for its type */
  readonly input?: Input
  /** the form of a part of the answer: what comes from the process is trusted no more than the file was */
  readonly part: z.ZodType<Part>
  readonly partsMax: number
  /** codes with which the module may refuse a file */
  readonly refusals: readonly ErrorCode[]
}

/**
 * Reads a file in the reader process. It keeps nothing between two files.
 * @throws AppError with one of the codes of its task; everything else is a bug of ours or of a library
 */
export type ReadFunction<Input> = (
  bytes: Uint8Array,
  input: Input,
) => Iterable<unknown> | AsyncIterable<unknown>
