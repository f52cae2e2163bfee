import { setImmediate as turn } from 'node:timers/promises'
import * as z from 'zod'
import { Allowance } from '../allowance.ts'
import { breakAfter } from '../breaks.ts'
import { AppError, messageOf } from '../errors.ts'
import type { LimitHits } from '../limits/index.ts'
import type { Logger } from '../log.ts'
import { type Frame, frameTypes } from './frames.ts'
import { findBubblewrap, ReaderProcess } from './process.ts'
import { ReadingTurns } from './turns.ts'
import { type ReaderLimits, type ReadTask, readerLimits } from './types.ts'

export { type ReadFunction, type ReadTask, readerLimits } from './types.ts'

interface ReaderOptions {
  log: Logger
  limitHits: Pick<LimitHits, 'note'>
  limits?: ReaderLimits
}

/** A process, with the number of files it has read. */
interface Place {
  process: ReaderProcess
  /** it only gets processor time that nothing else wants */
  isLast: boolean
  files: number
}

/** An idle process that waits for the next file of the account it has read for. */
interface Resting extends Place {
  accountId: number
  timer: NodeJS.Timeout
}

const Refusal = z.object({
  code: z.string(),
  message: z.string().max(500),
  data: z.record(z.string(), z.union([z.number(), z.string()])).optional(),
})

/**
 * Reads users' files in separate processes, so that a file that is slow, large or crashes its parser delays
 * nothing else. A process serves one account only, is ended when idle, and is replaced after every file that
 * failed. Files of an account that took much time come last.
 */
export class Reader implements AsyncDisposable {
  readonly #options: ReaderOptions
  readonly #limits: ReaderLimits
  readonly #turns: ReadingTurns
  /** reading time in milliseconds, by account */
  readonly #time: Allowance<number>
  readonly #alive = new Set<ReaderProcess>()
  readonly #resting = new Set<Resting>()
  #bubblewrap: Promise<string | null> | undefined
  #isClosed = false

  constructor(options: ReaderOptions) {
    this.#options = options
    this.#limits = options.limits ?? readerLimits
    this.#turns = new ReadingTurns(this.#limits)
    const { heavyMs, heavyForgivenMs } = this.#limits
    this.#time = new Allowance({ perSecond: heavyForgivenMs, burst: heavyMs })
  }

  /**
   * Reads a file.
   * @param accountId owner of the file: accounts take turns, and limits that are hit are recorded for it
   * @returns the parts of the result, each validated by the task's schema
   * @throws AppError the refusals of the task; FILE_TOO_DEMANDING when it exceeds the limits of time or
   * memory; OVERLOADED when too many files are waiting
   */
  async read<Input, Part>(
    task: ReadTask<Input, Part>,
    file: { bytes: Uint8Array; accountId: number; input: Input },
  ): Promise<Part[]> {
    const { accountId } = file
    try {
      return await this.#turns.run(accountId, file.bytes.length, () => this.#readNow(task, file))
    } catch (error) {
      const isLimit = error instanceof AppError && ['FILE_TOO_DEMANDING', 'OVERLOADED'].includes(error.code)
      if (isLimit) this.#options.limitHits.note(accountId, 'files', { detail: task.name })
      throw error
    }
  }

  async #readNow<Input, Part>(
    task: ReadTask<Input, Part>,
    { bytes, accountId, input }: { bytes: Uint8Array; accountId: number; input: Input },
  ): Promise<Part[]> {
    const { process, isLast, files } = await this.#placeFor(accountId)
    const { timeMs, timeLastMs } = this.#limits
    const timer = setTimeout(() => void process.kill('it takes too long'), isLast ? timeLastMs : timeMs)
    const startedMs = performance.now()
    let isDone = false
    try {
      const parts = await collect(process.ask(task.module, input, bytes), task, this.#limits)
      isDone = true
      return parts
    } catch (error) {
      isDone = error instanceof Refused
      if (error instanceof Refused) throw error.reason
      const about = { task: task.name, accountId, reason: process.killReason, stderr: process.lastWords }
      this.#options.log.warn({ err: error, ...about }, 'a file could not be read')
      if (error instanceof Failed) throw error
      throw new AppError('FILE_TOO_DEMANDING')
    } finally {
      clearTimeout(timer)
      const nowMs = performance.now()
      this.#time.spend(accountId, nowMs - startedMs, nowMs)
      if (isLast) this.#turns.pause(accountId, breakAfter(nowMs - startedMs))
      if (isDone && files + 1 < this.#limits.filesMax && !this.#isClosed)
        this.#rest({ process, isLast, files: files + 1 }, accountId)
      else await this.#end(process)
    }
  }

  /** The idle process of this account, or a new one. */
  async #placeFor(accountId: number): Promise<Place> {
    const isLast = this.#time.waitMs(accountId, performance.now()) > 0
    for (const resting of [...this.#resting]) {
      this.#resting.delete(resting)
      clearTimeout(resting.timer)
      const { process } = resting
      if (resting.accountId === accountId && resting.isLast === isLast && process.isAlive) return resting
      // It belongs to another account or has another priority: the new process takes its place.
      await this.#end(process)
    }
    this.#bubblewrap ??= findBubblewrap()
    const process = new ReaderProcess(this.#limits, await this.#bubblewrap, isLast ? 'last' : 'aside')
    this.#alive.add(process)
    return { process, isLast, files: 0 }
  }

  #rest(place: Place, accountId: number): void {
    const resting = {
      ...place,
      accountId,
      timer: setTimeout(() => {
        this.#resting.delete(resting)
        void this.#end(place.process)
      }, this.#limits.idleMs),
    }
    resting.timer.unref()
    this.#resting.add(resting)
  }

  async #end(process: ReaderProcess): Promise<void> {
    await process.kill('ended')
    this.#alive.delete(process)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const { timer } of this.#resting) clearTimeout(timer)
    this.#resting.clear()
    await Promise.all([...this.#alive].map((each) => this.#end(each)))
  }
}

/** The file was refused: the process itself worked. */
class Refused extends Error {
  readonly reason: AppError
  constructor(reason: AppError) {
    super(reason.message)
    this.reason = reason
  }
}

/** Reading failed unexpectedly. */
class Failed extends Error {}

/** The parts of a result, validated one at a time so that a long one does not block the event loop. */
async function collect<Input, Part>(
  frames: AsyncGenerator<Frame>,
  { part, partsMax, refusals, name }: ReadTask<Input, Part>,
  { answerBytesMax }: ReaderLimits,
): Promise<Part[]> {
  const parts: Part[] = []
  let bytes = 0
  for await (const { type, content } of frames) {
    if (type === frameTypes.done) return parts
    if (type === frameTypes.failed) throw new Failed(`${name}: ${content.toString().slice(0, 2000)}`)
    if (type === frameTypes.refused) throw refusalOf(content, refusals)
    bytes += content.length
    if (type !== frameTypes.part || parts.length >= partsMax || bytes > answerBytesMax)
      throw new Error('the answer of the process is not what was asked for')
    parts.push(part.parse(jsonOf(content)))
    await turn()
  }
  throw new Error('the process ended early')
}

function refusalOf(content: Buffer, refusals: readonly string[]): Error {
  const { code, message, data } = Refusal.parse(jsonOf(content))
  const known = refusals.find((each) => each === code)
  if (known === undefined) return new Error(`the process refuses with an unknown code: ${code}`)
  return new Refused(new AppError(known as AppError['code'], data, message === '' ? undefined : message))
}

function jsonOf(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString())
  } catch (error) {
    throw new Error(`the process did not answer in JSON: ${messageOf(error)}`)
  }
}
