import { isDeepStrictEqual } from 'node:util'
import type { ActivationResult } from '@leitstand/contract/keys'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { Loop } from '../../platform/loop.ts'
import { Mutex } from '../../platform/mutex.ts'
import type { Attempt, ConnectorsFeature } from '../connectors/index.ts'
import type { DownlinksFeature } from '../downlinks/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { claimUnsent, listSent, type Pending, writeDownlink, writeResult, writeTaken } from './log.store.ts'
import { outcomeOf } from './outcome.ts'

/** Polling interval; a new activation wakes the loop at once. */
const lookMs = 1_000
/** While a lock is to report. */
const watchMs = 300
const claimedMax = 50
const watchedMax = 500

export interface OpenerParts {
  connectors: Pick<ConnectorsFeature, 'messages'>
  downlinks: Pick<DownlinksFeature, 'request' | 'outcomesOf' | 'wake'>
  series: Pick<SeriesFeature, 'recent'>
}

interface Result {
  result: ActivationResult
  reason?: string
  detail?: string
}

/**
 * Opens locks and finds out what became of it. A command is recorded as sent before it is, and never sent again: a door that
 * opens late opens for nobody, or for somebody else. Deadlines are in the database and survive a restart.
 */
export class Opener {
  readonly #ctx: Pick<Context, 'db' | 'clock' | 'log' | 'live'>
  readonly #parts: OpenerParts
  readonly #loop: Loop
  readonly #rounds = new Mutex()
  readonly #attempts = new Set<Promise<void>>()

  constructor(ctx: Context, parts: OpenerParts) {
    this.#ctx = ctx
    this.#parts = parts
    this.#loop = new Loop({
      log: ctx.log,
      failure: 'locks could not be looked after; tried again soon',
      retryMs: lookMs,
      shared: { nodes: ctx.nodes, name: 'locks' },
      round: async () => {
        const { claimed, watched } = await this.#round()
        if (claimed === claimedMax) return 0
        return watched > 0 ? watchMs : lookMs
      },
    })
  }

  start(): void {
    this.#loop.start()
  }

  /** Call it after the commit of an activation. */
  wake(): void {
    this.#loop.wake()
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
    await Promise.all(this.#attempts)
  }

  /** Sends everything that is to be sent, and looks what became of what was sent. */
  async settle(): Promise<void> {
    let claimed: number
    do {
      claimed = (await this.#round()).claimed
      await Promise.all(this.#attempts)
    } while (claimed > 0)
  }

  #round(): Promise<{ claimed: number; watched: number }> {
    return this.#rounds.run(async () => {
      const claimed = await this.#send()
      return { claimed, watched: await this.#watch() }
    })
  }

  async #send(): Promise<number> {
    const { db, clock } = this.#ctx
    const now = clock.now()
    const { claimed, refused } = await db.transaction().execute(async (tx) => {
      const rows = await claimUnsent(tx, now, claimedMax)
      const unsent: [Pending, Result][] = []
      for (const row of rows) {
        const result = row.deadline <= now ? late : await this.#request(tx, row, now)
        if (result === null) continue
        await writeResult(tx, row.id, { ...result, at: now })
        unsent.push([row, result])
      }
      return { claimed: rows, refused: new Set(unsent.map(([{ id }]) => id)) }
    })
    for (const row of claimed) {
      if (refused.has(row.id)) this.#announce(row)
      else if (row.way.kind !== 'downlink') this.#attempt(row)
    }
    if (claimed.some(({ way }) => way.kind === 'downlink')) this.#parts.downlinks.wake()
    return claimed.length
  }

  /** Queues a downlink together with the note that it is sent. @returns why that is not possible */
  async #request(tx: Executor, row: Pending, now: Date): Promise<Result | null> {
    const { way } = row
    if (way.kind !== 'downlink') return null
    const made = await this.#parts.downlinks.request(tx, {
      deviceId: way.deviceId,
      content: { predefined: way.name, values: way.values },
      // It must not open the door when nobody waits for it any more.
      validMinutes: (row.deadline.getTime() - now.getTime()) / 60_000,
      requestedBy: row.userName,
    })
    if ('problem' in made) return { result: 'failed', reason: made.problem }
    await writeDownlink(tx, row.id, made.id)
    return null
  }

  #attempt(row: Pending): void {
    const running = this.#hand(row).catch((error: unknown) => {
      // It has no result until its deadline, and none after that.
      this.#ctx.log.warn({ err: error, activation: row.id }, 'the result of an activation could not be kept')
    })
    this.#attempts.add(running)
    void running.finally(() => this.#attempts.delete(running))
  }

  async #hand(row: Pending): Promise<void> {
    const { db, clock } = this.#ctx
    const attempt = await this.#deliver(row)
    const at = clock.now()
    const result = afterAttempt(row, attempt)
    if (result !== null) await this.#end(row, result)
    else if (attempt.outcome === 'taken') await writeTaken(db, row.id, at)
  }

  #deliver(row: Pending): Promise<Attempt> {
    const { way, accountId } = row
    const { messages } = this.#parts.connectors
    if (way.kind === 'downlink') throw new Error('downlinks have a queue of their own')
    const target = { connectorId: way.connectorId, accountId }
    if (way.kind === 'connector-command')
      return messages.publish(target, { topic: way.topic, payload: Buffer.from(way.payload) })
    return messages.deliver(
      target,
      { id: row.requestId, ...bodyOf(row, way.payload), isTest: false },
      this.#loop.signal,
    )
  }

  /** @returns how many are under way */
  async #watch(): Promise<number> {
    const { db, clock } = this.#ctx
    const rows = await listSent(db, watchedMax)
    const ids = rows.flatMap(({ downlinkId }) => downlinkId ?? [])
    const downlinks = await this.#parts.downlinks.outcomesOf(db, ids)
    for (const row of rows) {
      const now = clock.now()
      const downlink = row.downlinkId === null ? undefined : downlinks.get(row.downlinkId)
      const result = outcomeOf(row, { now, hasReported: await this.#hasReported(row), downlink })
      if (result !== null) await this.#end(row, result)
    }
    return rows.length
  }

  /** Whether the lock has reported since it was asked to open, and in time. */
  async #hasReported({ report, requestedAt, deadline }: Pending): Promise<boolean> {
    if (report === null) return false
    // Values after `since`: what was reported in the same millisecond counts.
    const period = { since: new Date(requestedAt.getTime() - 1), until: deadline }
    const values = await this.#parts.series.recent(this.#ctx.db, report.stateId, period)
    return values.some(({ value }) => isDeepStrictEqual(value, report.value))
  }

  async #end(row: Pending, result: Result): Promise<void> {
    if (await writeResult(this.#ctx.db, row.id, { ...result, at: this.#ctx.clock.now() })) this.#announce(row)
  }

  #announce({ id, scopeId }: Pending): void {
    announce(this.#ctx, id, scopeId)
  }
}

const late: Result = { result: 'failed', reason: 'late' }

/** What an attempt to hand over a command says at once; null: that is still to be seen. */
function afterAttempt(row: Pending, attempt: Attempt): Result | null {
  if (attempt.outcome === 'taken') return row.report === null ? { result: 'sent' } : null
  const { outcome, reason, detail } = attempt
  if (outcome !== 'unknown') return { result: 'failed', reason, detail }
  return row.report === null ? { result: 'noAnswer', reason, detail } : null
}

function bodyOf(row: Pending, payload: string): { contentType: string; body: string } {
  if (payload !== '')
    return { contentType: isJson(payload) ? 'application/json' : 'text/plain; charset=utf-8', body: payload }
  const body = JSON.stringify({
    lock: { id: row.twinId, title: row.lockTitle },
    activation: row.id,
    time: row.requestedAt.toISOString(),
  })
  return { contentType: 'application/json', body }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

/** Those who see an activation read it again. */
export function announce(
  { live, clock }: Pick<Context, 'live' | 'clock'>,
  activationId: number,
  scopeId: number,
): void {
  live.publish(
    'activations',
    { kind: 'activation', topic: 'activations', activationId, timeMs: clock.now().getTime() },
    { scopeId, category: 'lock' },
  )
}
