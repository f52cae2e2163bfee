import { randomUUID } from 'node:crypto'
import type { JsonValue } from '@leitstand/contract/common'
import { LRUCache } from 'lru-cache'
import { upTo } from '../../platform/cache.ts'
import type { Context } from '../../platform/context.ts'
import { Mutexes } from '../../platform/mutex.ts'
import { ruleDeferred } from '../../topics/index.ts'
import type { RuleDeferred } from '../../topics/ruleDeferred.ts'
import type { ReadValue } from './metrics/read.ts'
import { accountsOfRules, addDeferred, readDeferred, removeDeferred } from './store/deferred.ts'
import type { Wake } from './wakes.ts'

/** Time that the scripts of one rule may take of a call that other rules wait for. */
const shareUs = 200_000
/** Evaluations of a rule in one call before it is known how long they take. */
const unknownMax = 100
/** Weight of the last call in what a rule is expected to take. */
const weight = 0.3
const rulesMax = 50_000
/** One turn in the queue. */
const wakesPerEvent = 50

/** The metrics of a wake, read in its turn. */
export interface Reading {
  accountId: number
  version: number
  read: ReadonlyMap<string, ReadValue>
}

interface Queue {
  /** Evaluates rules in one transaction, in this order. */
  run(wakes: readonly Wake[]): Promise<void>
  /** Reads the metrics of wakes; those of rules that are not active are missing. */
  read(wakes: readonly Wake[]): Promise<ReadonlyMap<Wake, Reading>>
}

/** How many of so many evaluations of a rule may run at once. @param expectedUs null: not known */
export function mayRun(count: number, expectedUs: number | null): number {
  if (expectedUs === null) return Math.min(count, unknownMax)
  return count * expectedUs <= shareUs ? count : 0
}

/**
 * Keeps rules with slow scripts from delaying the other rules of their account: their evaluations wait in a queue of their own
 * (`rule.deferred`), with a partition for each rule. While a rule has something in it, everything that wakes the rule joins the
 * end, so that evaluations keep their order. `rule_deferred` lists these rules for the next start.
 */
export class HeavyRules {
  readonly #ctx: Context
  /** time that the scripts of an evaluation take, by rule */
  readonly #expectedUs = new LRUCache<number, number>(upTo(rulesMax))
  /** the token of the last event that waits, by rule */
  readonly #waiting = new Map<number, string>()
  readonly #changes = new Mutexes<number>()
  readonly #queue: Queue
  #known: Promise<void> | undefined

  constructor(ctx: Context, queue: Queue) {
    this.#ctx = ctx
    this.#queue = queue
  }

  /** Consumes the queue. */
  consume(): void {
    this.#ctx.events.consume({
      name: 'rules.deferred',
      topics: [ruleDeferred],
      apart: 1,
      partition: ({ payload }) => payload.ruleId,
      handle: async (events) => {
        for (const { payload } of events) {
          if (payload.wakes.length > 0) await this.#queue.run(fromPayload(payload))
          await this.#handled(payload)
        }
      },
    })
  }

  /** Another process may have led meanwhile: what waits is read again. */
  forget(): void {
    this.#known = undefined
  }

  /** Notes how long the scripts of evaluations took. */
  measured(evaluations: readonly { ruleId: number; tookUs: number }[]): void {
    for (const [ruleId, each] of Map.groupBy(evaluations, ({ ruleId }) => ruleId)) {
      const now = each.reduce((sum, { tookUs }) => sum + tookUs, 0) / each.length
      const before = this.#expectedUs.get(ruleId)
      this.#expectedUs.set(ruleId, before === undefined ? now : before + weight * (now - before))
    }
  }

  /**
   * Puts evaluations of slow rules into the queue.
   * @returns the others, in the same order
   */
  async sift(wakes: readonly Wake[]): Promise<readonly Wake[]> {
    this.#known ??= this.#load()
    await this.#known
    const later = new Map<number, Wake[]>()
    for (const [ruleId, each] of Map.groupBy(wakes, ({ ruleId }) => ruleId)) {
      const now = this.#waiting.has(ruleId) ? 0 : mayRun(each.length, this.#expectedUs.get(ruleId) ?? null)
      if (now < each.length) later.set(ruleId, each.slice(now))
    }
    if (later.size === 0) return wakes
    await this.#defer(later)
    const deferred = new Set([...later.values()].flat())
    return wakes.filter((wake) => !deferred.has(wake))
  }

  async #defer(later: ReadonlyMap<number, readonly Wake[]>): Promise<void> {
    const ruleIds = [...later.keys()]
    await this.#changes.run(ruleIds, async () => {
      const readings = await this.#queue.read([...later.values()].flat())
      const tokens = new Map(ruleIds.map((ruleId) => [ruleId, randomUUID() as string]))
      for (const [ruleId, token] of tokens) this.#waiting.set(ruleId, token)
      await this.#ctx.db.transaction().execute(async (tx) => {
        const accounts = await accountsOfRules(tx, ruleIds)
        for (const ruleId of ruleIds) if (!accounts.has(ruleId)) this.#waiting.delete(ruleId)
        await addDeferred(tx, [...accounts.keys()])
        const events = [...accounts].flatMap(([ruleId, accountId]) => {
          const pieces = piecesOf(later.get(ruleId) ?? [])
          return pieces.map((piece, index) => {
            const token = index === pieces.length - 1 ? (tokens.get(ruleId) as string) : ''
            return ruleDeferred.event(accountId, toPayload(ruleId, token, piece, readings))
          })
        })
        await this.#ctx.events.appendAll(tx, events)
      })
    })
  }

  /** The queue of a rule is empty once its last event is handled. */
  #handled({ ruleId, token }: RuleDeferred): Promise<void> {
    return this.#changes.run([ruleId], async () => {
      if (token === '' || this.#waiting.get(ruleId) !== token) return
      await removeDeferred(this.#ctx.db, ruleId)
      this.#waiting.delete(ruleId)
    })
  }

  /** Rules of which something waits since before: whatever it is, it is handled before the event that is added here. */
  async #load(): Promise<void> {
    try {
      this.#waiting.clear()
      const ruleIds = await readDeferred(this.#ctx.db)
      if (ruleIds.length > 0) await this.#defer(new Map(ruleIds.map((ruleId) => [ruleId, []])))
    } catch (error) {
      this.#known = undefined
      throw error
    }
  }
}

/** At least one, so that there is an event with the token. */
function piecesOf(wakes: readonly Wake[]): Wake[][] {
  const pieces: Wake[][] = []
  for (let first = 0; first === 0 || first < wakes.length; first += wakesPerEvent)
    pieces.push(wakes.slice(first, first + wakesPerEvent))
  return pieces
}

function toPayload(
  ruleId: number,
  token: string,
  wakes: readonly Wake[],
  readings: ReadonlyMap<Wake, Reading>,
): RuleDeferred {
  const read = wakes.flatMap((wake) => {
    const reading = readings.get(wake)
    return reading === undefined ? [] : [{ wake, reading }]
  })
  return {
    ruleId,
    token,
    version: read[0]?.reading.version ?? 0,
    wakes: read.map(({ wake, reading }) => {
      const { twinId, eventId, at, until, values, cause, woken, depth, recheck } = wake
      return {
        twinId,
        eventId,
        atMs: at.getTime(),
        untilMs: until.getTime(),
        values: [...values],
        cause,
        depth,
        ...(woken && { woken }),
        ...(recheck && { recheck }),
        read: [...reading.read].map(([alias, { value, error }]) => ({ alias, value, error })),
      }
    }),
  }
}

function fromPayload({ ruleId, version, wakes }: RuleDeferred): Wake[] {
  return wakes.map(({ atMs, untilMs, values, woken, recheck, read, ...same }) => ({
    ...same,
    ruleId,
    at: new Date(atMs),
    until: new Date(untilMs),
    values: new Map<number, JsonValue>(values),
    ...(woken && { woken: woken as NonNullable<Wake['woken']> }),
    ...(recheck && { recheck }),
    deferred: {
      version,
      read: new Map(read.map(({ alias, ...value }) => [alias, value as ReadValue])),
    },
  }))
}
