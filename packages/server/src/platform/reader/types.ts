import type { ErrorCode } from '@leitstand/contract/errors'
import type * as z from 'zod'

/** Limits for reading one file; exceeding them ends the process that reads it. */
export const readerLimits = {
  /** concurrent processes, each reading one file */
  processesMax: 2,
  /** waiting files, in total and per account; further ones are refused with a request to retry */
  waitingMax: 200,
  waitingOfAccountMax: 50,
  /** the same in bytes, as waiting files are in memory */
  waitingBytesMax: 256 * 1_048_576,
  waitingBytesOfAccountMax: 64 * 1_048_576,
  /** from the start to the last part of the result */
  timeMs: 30_000,
  /** the same for files of a heavy account, which only get processor time that nothing else wants */
  timeLastMs: 120_000,
  /**
   * reading time after which an account is heavy, and how much of it is forgiven every second, both in
   * milliseconds
   */
  heavyMs: 3_000,
  heavyForgivenMs: 100,
  heapMegabytesMax: 512,
  /**
   * all writable memory of the process, including memory outside of V8's heap; Node itself takes some 600 MB
   * of it
   */
  dataKilobytesMax: 1_600_000,
  /** total CPU time of one process: ends a process whose server has died */
  processorSecondsMax: 900,
  /** one part of a result: parsed by the server in one go */
  partBytesMax: 2 * 1_048_576,
  /** all parts of a result */
  answerBytesMax: 128 * 1_048_576,
  /** an idle process ends after this time */
  idleMs: 10_000,
  /** files one process reads before it is replaced */
  filesMax: 20,
} as const
export type ReaderLimits = { readonly [name in keyof typeof readerLimits]: number }

/** A kind of file to read. The code that reads is a separate module, because it runs in another process. */
export interface ReadTask<Input, Part> {
  /** for the log */
  readonly name: string
  /** module whose default export is a `ReadFunction` for this input */
  readonly module: URL
  /** parameters of the module besides the bytes; only for the type */
  readonly input?: Input
  /** schema of one part of the result: the process is trusted no more than the file */
  readonly part: z.ZodType<Part>
  readonly partsMax: number
  /** codes with which the module may refuse a file */
  readonly refusals: readonly ErrorCode[]
}

/**
 * Reads a file in the reader process. It keeps no state between files.
 * @throws AppError with one of the codes of its task; everything else is a bug in our code or a library
 */
export type ReadFunction<Input> = (
  bytes: Uint8Array,
  input: Input,
) => Iterable<unknown> | AsyncIterable<unknown>
