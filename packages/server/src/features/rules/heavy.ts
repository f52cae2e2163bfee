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

/** Time that reading for one rule, and its scripts, may take of a call that other rules wait for. */
const shareUs = 50_000
/** An evaluation that waits is not read in its turn if that would take longer: values in memory take less, the history more. */
const readingMaxUs = 2_000
/** Evaluations of a rule in one call before it is known how long they take. */
const unknownMax = 20
/** Weight of the last call in what a rule is expected to take. */
const weight = 0.3
const rulesMax = 50_000
/** The name under which events are recorded that woke rules of other nodes. */
const elsewhereName = 'rules.elsewhere'
/** One turn in the queue. */
const wakesPerEvent = 50

/** The metrics of a wake, read in its turn. */
export interface Reading {
  accountId: number
  version: number
  read: ReadonlyMap<string, ReadValue>
}

/** How long evaluations of a rule take, each. */
export interface Took {
  ruleId: number
  /** null: nothing was to be read */
  readingUs: number | null
  scriptsUs: number
}

type Expected = Omit<Took, 'ruleId'>

interface Queue {
  /** Evaluates rules in one transaction, in this order. */
  run(wakes: readonly Wake[]): Promise<void>
  /** Reads the metrics of wakes; those of rules that are not active are missing. */
  read(wakes: readonly Wake[]): Promise<ReadonlyMap<Wake, Reading>>
}

/** How many of so many evaluations of a rule may run at once. @param expected null: not known */
export function mayRun(count: number, expected: Expected | null): number {
  if (expected === null) return Math.min(count, unknownMax)
  return count * ((expected.readingUs ?? 0) + expected.scriptsUs) <= shareUs ? count : 0
}

/**
 * Keeps rules that take long from delaying the other rules of their account: their evaluations wait in a queue of their own
 * (`rule.deferred`), with a partition for each rule. If only their scripts are slow, their metrics are read in their turn; if
 * reading is what takes long, they are read when their turn in the queue comes, as they were at the moment that woke the rule.
 * While a rule has something in the queue, everything that wakes the rule joins the end, so that evaluations keep their order.
 * `rule_deferred` lists these rules for the next start.
 */
export class HeavyRules {
  readonly #ctx: Context
  /** what an evaluation takes, by rule */
  readonly #expected = new LRUCache<number, Expected>(upTo(rulesMax))
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

  /** Notes how long evaluations took. */
  measured(evaluations: readonly Took[]): void {
    for (const [ruleId, each] of Map.groupBy(evaluations, ({ ruleId }) => ruleId)) {
      const before = this.#expected.get(ruleId)
      this.#expected.set(ruleId, {
        readingUs: expect(
          before?.readingUs ?? null,
          meanOf(each.flatMap(({ readingUs }) => readingUs ?? [])),
        ),
        scriptsUs: expect(before?.scriptsUs ?? null, meanOf(each.map(({ scriptsUs }) => scriptsUs))) ?? 0,
      })
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
      const now = this.#waiting.has(ruleId) ? 0 : mayRun(each.length, this.#expected.get(ruleId) ?? null)
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
      // Asked once: what is expected may change while the others are read.
      const readLater = new Set(ruleIds.filter((ruleId) => this.#readsLater(ruleId)))
      const inTurn = [...later].flatMap(([ruleId, wakes]) => (readLater.has(ruleId) ? [] : wakes))
      const readings = await this.#queue.read(inTurn)
      const tokens = new Map(ruleIds.map((ruleId) => [ruleId, randomUUID() as string]))
      for (const [ruleId, token] of tokens) this.#waiting.set(ruleId, token)
      await this.#ctx.db.transaction().execute(async (tx) => {
        const accounts = await accountsOfRules(tx, ruleIds)
        for (const ruleId of ruleIds) if (!accounts.has(ruleId)) this.#waiting.delete(ruleId)
        await addDeferred(tx, [...accounts.keys()])
        const events = [...accounts].flatMap(([ruleId, accountId]) => {
          const pieces = piecesOf(later.get(ruleId) ?? [])
          const read = readLater.has(ruleId) ? null : readings
          return pieces.map((piece, index) => {
            const token = index === pieces.length - 1 ? (tokens.get(ruleId) as string) : ''
            return ruleDeferred.event(accountId, toPayload(ruleId, token, piece, read))
          })
        })
        await this.#ctx.events.appendAll(tx, events)
      })
    })
  }

  /**
   * With several nodes a rule runs where the events of its account are handled: wakes by events of other accounts go there,
   * through the queue. Once for each event, as it would be evaluated late when it is repeated.
   * @param accountOf the accounts of rules that are active
   * @returns the others, in the same order
   */
  async keepOwn(wakes: readonly Wake[], accountOf: ReadonlyMap<number, number>): Promise<readonly Wake[]> {
    const { db, events } = this.#ctx
    const isOwn = ({ ruleId }: Wake) => {
      const accountId = accountOf.get(ruleId)
      return accountId === undefined || events.owns(accountId)
    }
    const away = wakes.filter((wake) => !isOwn(wake))
    if (away.length === 0) return wakes
    await db.transaction().execute(async (tx) => {
      const eventIds = [...new Set(away.map(({ eventId }) => eventId))]
      const fresh = await events.noteHandled(tx, elsewhereName, eventIds)
      const byRule = Map.groupBy(
        away.filter(({ eventId }) => fresh.has(eventId)),
        ({ ruleId }) => ruleId,
      )
      await events.appendAll(
        tx,
        [...byRule].flatMap(([ruleId, each]) =>
          piecesOf(each).map((piece) =>
            ruleDeferred.event(accountOf.get(ruleId) as number, toPayload(ruleId, '', piece, null)),
          ),
        ),
      )
    })
    return wakes.filter(isOwn)
  }

  #readsLater(ruleId: number): boolean {
    return (this.#expected.get(ruleId)?.readingUs ?? 0) > readingMaxUs
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
      const deferred = await readDeferred(this.#ctx.db)
      const ruleIds = deferred.flatMap(({ ruleId, accountId }) =>
        this.#ctx.events.owns(accountId) ? ruleId : [],
      )
      if (ruleIds.length > 0) await this.#defer(new Map(ruleIds.map((ruleId) => [ruleId, []])))
    } catch (error) {
      this.#known = undefined
      throw error
    }
  }
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** What to expect after a measurement. @param now null: there was none */
function expect(before: number | null, now: number | null): number | null {
  if (before === null || now === null) return now ?? before
  return before + weight * (now - before)
}

/** At least one, so that there is an event with the token. */
function piecesOf(wakes: readonly Wake[]): Wake[][] {
  const pieces: Wake[][] = []
  for (let first = 0; first === 0 || first < wakes.length; first += wakesPerEvent)
    pieces.push(wakes.slice(first, first + wakesPerEvent))
  return pieces
}

/** @param readings those of rules that are not active are missing; null: the metrics are read later */
function toPayload(
  ruleId: number,
  token: string,
  wakes: readonly Wake[],
  readings: ReadonlyMap<Wake, Reading> | null,
): RuleDeferred {
  const kept = wakes.flatMap((wake) => {
    const reading = readings?.get(wake) ?? null
    return readings !== null && reading === null ? [] : [{ wake, reading }]
  })
  return {
    ruleId,
    token,
    version: kept[0]?.reading?.version ?? 0,
    wakes: kept.map(({ wake, reading }) => {
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
        ...(reading && {
          read: [...reading.read].map(([alias, { value, error }]) => ({ alias, value, error })),
        }),
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
      read: read ? new Map(read.map(({ alias, ...value }) => [alias, value as ReadValue])) : null,
    },
  }))
}
