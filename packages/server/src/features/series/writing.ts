import type { LiveValue } from '@leitstand/contract/live'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { MonthPartitions } from '../../platform/db/months.ts'
import { OvertakenError } from '../../platform/db/passing.ts'
import type { Unit } from '../../platform/db/writer.ts'
import { AppError } from '../../platform/errors.ts'
import type { NewEvent } from '../../platform/events/topic.ts'
import { type ValueSource, type ValuesStored, valuesStored } from '../../topics/valuesStored.ts'
import {
  type Applied,
  type ApplyMode,
  applyValues,
  type ComputedInput,
  computedSource,
  computeNow,
  depthMax,
  isTakenAlong,
  type Pending,
  type RefusedValue,
  type ScriptRun,
  type StoredValue,
  type Tools,
  transformValues,
  type ValueInput,
} from './apply.ts'
import { StateCatalog } from './catalog.ts'
import { Deriver, type Piece } from './derived/deriver.ts'
import { Freshness } from './derived/freshness.ts'
import { deleteDerivations, noteDerivations } from './derived/store.ts'
import { movesOf, type TwinMove } from './moves.ts'
import { changeStatements } from './rollups/index.ts'
import { readCurrent } from './store.ts'
import { type ClockNote, emptyCurrent, isAnyDue, lookBack, saveDue, takeDue } from './windows/index.ts'

/** Stores values within a transaction of `store`. */
export type Apply = (inputs: readonly (ValueInput | ComputedInput)[], mode?: ApplyMode) => Promise<Applied>

/** Maximum values per event; a larger transaction appends several events. */
const valuesPerEvent = 5_000
/** Events of an account in a transaction, beyond which only the newest value of each state counts. */
const piecesMax = 2_000
const aheadMaxMs = 24 * 3_600_000
/** States that are due, taken at once. */
const dueMax = 1_000

/** States noted to be computed, with the ids of their rows by account. */
interface Noted {
  pending: readonly Pending[]
  rows: ReadonlyMap<number, number>
}

/** Subjects for values, and for twins whose levels may have changed; values of one message. */
const storedSubject = 'series.stored'
const levelledSubject = 'series.levelled'
const toldMax = 2_000
type Told = Omit<StoredValue, 'time'> & { time: string }

/**
 * Stores values and everything derived from them. A process stores all values in sequential transactions, so
 * that aggregates never miss a source value.
 */
export class ValueWriter {
  readonly catalog = new StateCatalog()
  readonly #ctx: Context
  readonly #tools: Tools
  readonly #noteActivity: () => void
  readonly #months: MonthPartitions
  readonly #listeners = new Set<(values: readonly StoredValue[]) => void>()
  readonly #levelListeners: ((twinIds: Iterable<number>) => void)[] = []
  readonly #followers: ((stateId: number) => boolean)[] = []
  #wantsMeta = false
  readonly #deriver: Deriver
  #move: ((tx: Executor, moves: readonly TwinMove[]) => Promise<void>) | undefined

  /** @param noteActivity called after every transaction */
  constructor(ctx: Context, noteActivity: () => void) {
    this.#ctx = ctx
    this.#months = new MonthPartitions(ctx.db)
    this.#tools = { catalog: this.catalog, scripts: ctx.scripts }
    this.#noteActivity = noteActivity
    this.#deriver = new Deriver({
      db: ctx.db,
      clock: ctx.clock,
      log: ctx.log,
      catalog: this.catalog,
      nodes: ctx.nodes,
      events: ctx.events,
      transform: (inputs) => this.transform(inputs),
      store: (piece) => this.#storeComputed(piece),
    })
    ctx.nodes.hear(storedSubject, (values) =>
      this.#announceHere((values as Told[]).map((value) => ({ ...value, time: new Date(value.time) }))),
    )
    ctx.nodes.hear(levelledSubject, (twinIds) => this.noteLevels(twinIds as number[]))
    const clear = () => {
      this.catalog.clear()
      this.#deriver.forgetAll()
    }
    const forget = (ids: readonly number[] | '*') => {
      if (ids === '*') return clear()
      this.catalog.forgetTwins(ids)
      this.#deriver.forgetTwins(ids)
    }
    ctx.configChanges.on('states', forget)
    ctx.configChanges.on('twins', forget)
    // Of states that are computed from others now, and of those others.
    for (const table of ['state_links', 'state_members'] as const) {
      ctx.configChanges.on(table, (ids) => {
        if (ids === '*') return clear()
        this.catalog.forget(ids)
        this.#deriver.forgetStates(ids)
      })
    }
    ctx.configChanges.on('state_sources', (ids) => (ids === '*' ? clear() : this.catalog.forget(ids)))
  }

  /** Computes dependent states after the commit. */
  get deriver(): Pick<Deriver, 'findLeftovers' | 'forgetTwins' | 'settle' | 'start' | 'stop'> {
    return this.#deriver
  }

  /**
   * Registers the states that a consumer of the event `values.stored` needs; values of other states are left
   * out.
   * @param follows called for every stored value, so it must be a look-up in memory; returns true when unsure
   * @param options `meta`: sources of the kind `packet` carry the metadata of the packet
   */
  follow(follows: (stateId: number) => boolean, { meta = false } = {}): void {
    this.#followers.push(follows)
    this.#wantsMeta ||= meta
  }

  #isFollowed(stateId: number): boolean {
    return this.#followers.some((follows) => follows(stateId))
  }

  /**
   * Adds a listener for digital twins whose levels may have changed, after the commit; must only take note. Changes of
   * limits have notices of their own.
   */
  onLevels(listener: (twinIds: Iterable<number>) => void): void {
    this.#levelListeners.push(listener)
  }

  /** Current values of these twins changed by other means than new values. */
  noteLevels(twinIds: Iterable<number>): void {
    for (const listener of this.#levelListeners) listener(twinIds)
  }

  /** Adds a listener for stored values after the commit. Only for the live feed: a crash may lose calls. */
  onStored(listener: (values: readonly StoredValue[]) => void): void {
    this.#listeners.add(listener)
  }

  /**
   * Sets the function that moves twins when position states change, in the transaction that stores the
   * values.
   */
  moveWith(move: (tx: Executor, moves: readonly TwinMove[]) => Promise<void>): void {
    this.#move = move
  }

  async moveTwins(tx: Executor, stored: readonly StoredValue[]): Promise<void> {
    const moves = movesOf(stored)
    if (moves.length > 0) await this.#move?.(tx, moves)
  }

  /** Forgets known partitions after some were dropped, so that they are created again when needed. */
  forgetMonths(): void {
    this.#months.forget()
  }

  /**
   * Runs one exclusive transaction that stores values. `work` gets the transaction and `apply`. Events are
   * appended before the commit; the live feed is notified after it.
   */
  async store<T>(work: (unit: Unit, apply: Apply) => Promise<T>): Promise<T> {
    const tools = {
      catalog: this.catalog,
      now: this.#ctx.clock.now(),
      isFollowed: (stateId: number) => this.#isFollowed(stateId),
    }
    const stored: StoredValue[] = []
    const pending: Pending[] = []
    const rows = new Map<number, number>()
    const answer = await this.#ctx.writer.transaction(async (unit) => {
      const answered: Promise<void>[] = []
      const result = await work(unit, async (inputs, mode = 'careful') => {
        const applied = await applyValues(unit, tools, inputs, mode)
        for (const value of applied.stored) stored.push(value)
        pending.push(...applied.pending.values())
        answered.push(...applied.answered)
        return applied
      })
      for (const statement of changeStatements(stored)) void unit.send(statement)
      const noted = pending.length === 0 ? undefined : unit.send(noteDerivations(pending))
      // Events and positions need to know which values are the newest.
      await Promise.all(answered)
      for (const { id, account_id: accountId } of (await noted) ?? []) rows.set(accountId, id)
      await this.moveTwins(unit.db, stored)
      const followed = stored.filter(({ stateId }) => this.#isFollowed(stateId))
      for (const statement of this.#ctx.events.appending(toEvents(followed, this.#wantsMeta)))
        void unit.send(statement)
      return result
    })
    this.#noteActivity()
    if (pending.length > 0) this.#deriver.note(pending, rows)
    this.#announce(stored)
    return answer
  }

  async #storeComputed({ values, rows, notes }: Piece): Promise<readonly RefusedValue[]> {
    await this.prepareMonths(
      'state_values',
      values.map(({ time }) => time),
    )
    const { refused, emptied } = await this.store(async (unit, apply) => {
      const deleted = rows.length === 0 ? [] : unit.send(deleteDerivations(rows))
      // Another node has computed these meanwhile; what it stored is newer.
      if (this.#ctx.nodes.isCluster && (await deleted).length < rows.length)
        throw new OvertakenError('states were computed by another node')
      if (notes.length > 0) void unit.send(saveDue(notes))
      const empty = notes.flatMap(({ stateId, isEmpty }) => (isEmpty ? [stateId] : []))
      const emptied = empty.length === 0 ? null : await this.#empty(unit, empty)
      const computed = values.map((value) => ({ ...value, source: computedSource }))
      const applied = await apply(computed, 'computed')
      return { refused: applied.refused, emptied }
    })
    if (emptied !== null && emptied.twinIds.size > 0) {
      this.#deriver.forgetTwins(emptied.twinIds)
      this.noteLevels(emptied.twinIds)
      this.#ctx.live.resync('twin', emptied.twinIds)
      this.#deriver.note(emptied.noted.pending, emptied.noted.rows)
    }
    return refused
  }

  /** Takes the current value from states and from those that copy them; what else is computed from them is noted. */
  async #empty(unit: Unit, stateIds: readonly number[]): Promise<{ twinIds: Set<number>; noted: Noted }> {
    const twinIds = new Set<number>()
    const again = new Set<number>()
    let wave = stateIds
    for (let depth = 0; wave.length > 0 && depth < depthMax; depth++) {
      const rows = await unit.send(emptyCurrent(wave))
      const metas = await this.catalog.get(
        unit.db,
        rows.map(({ state_id: id }) => id),
      )
      const dependents = await this.catalog.get(
        unit.db,
        [...metas.values()].flatMap(({ dependentIds }) => dependentIds),
      )
      for (const { twinId } of metas.values()) twinIds.add(twinId)
      const copies = [...dependents.values()].filter(isTakenAlong)
      wave = copies.map(({ id }) => id)
      for (const meta of dependents.values()) if (!isTakenAlong(meta)) again.add(meta.id)
    }
    return { twinIds, noted: await this.#note(unit.db, again) }
  }

  /** Notes states to be computed again although no source has a new value. */
  async #note(db: Executor, stateIds: Iterable<number>): Promise<Noted> {
    const metas = await this.catalog.get(db, stateIds)
    const pending = [...metas.values()].map((meta): Pending => ({ meta, changes: [] }))
    if (pending.length === 0) return { pending, rows: new Map() }
    const { rows: noted } = await noteDerivations(pending).execute(db)
    return { pending, rows: new Map(noted.map(({ id, account_id: accountId }) => [accountId, id])) }
  }

  /**
   * Notes computed states in a transaction that changes what they are computed from other than by new values.
   * @returns to be called after the commit
   */
  async noteAgain(tx: Executor, stateIds: Iterable<number>): Promise<() => void> {
    const { pending, rows } = await this.#note(tx, stateIds)
    return () => {
      if (pending.length > 0) this.#deriver.note(pending, rows)
    }
  }

  /**
   * Notes states in a transaction that gives them other sources.
   * @returns to be called after the commit
   */
  async noteSources(tx: Executor, stateIds: readonly number[]): Promise<() => Promise<void>> {
    if (stateIds.length === 0) return async () => undefined
    const done = await this.noteAgain(tx, stateIds)
    return async () => {
      await this.#ctx.configChanges.settle()
      // Transactions in progress may not know the new sources yet, so wait for their commit.
      await this.#ctx.writer.transaction(async () => undefined)
      done()
    }
  }

  /** Computes the states whose time has come, without a new value of their sources. @returns their number */
  async wakeDue(now: Date): Promise<number> {
    // Most seconds nothing is due, and the writer belongs to the ingest.
    if (!(await isAnyDue(this.#ctx.db, now))) return 0
    const { count, done } = await this.#ctx.writer.transaction(async (unit) => {
      const due = await unit.send(takeDue(now, dueMax))
      const noted = await this.noteAgain(
        unit.db,
        due.map(({ state_id: id }) => id),
      )
      return { count: due.length, done: noted }
    })
    done()
    return count
  }

  /**
   * Ensures that the monthly partitions exist. Call it before the transaction, because it locks the table.
   */
  prepareMonths(table: 'state_values' | 'packets', times: Iterable<Date>): Promise<void> {
    return this.#months.prepare(table, times)
  }

  /**
   * Runs the transformers of the states of these values. Call it before the transaction that stores the
   * results.
   * @param wait decides how long to wait for the scripts of each account
   * @throws AppError OVERLOADED when the sandbox is busy, and any error of `wait`
   */
  transform<T extends ValueInput>(
    inputs: readonly T[],
    wait?: (runs: readonly ScriptRun[]) => Promise<void>,
  ): Promise<{ values: T[]; refused: RefusedValue[] }> {
    return transformValues(this.#ctx.db, this.#tools, inputs, wait)
  }

  #announce(stored: readonly StoredValue[]): void {
    if (stored.length === 0) return
    const levelled = stored.filter(({ hasLevel }) => hasLevel)
    const twinIds = new Set(levelled.map(({ twinId }) => twinId))
    if (twinIds.size > 0) this.noteLevels(twinIds)
    this.#announceHere(stored)
    if (this.#ctx.nodes.isCluster) this.#tellOthers(stored, twinIds)
  }

  #announceHere(stored: readonly StoredValue[]): void {
    for (const listener of this.#listeners) listener(stored)
    if (!this.#ctx.live.hasFollowersOf('twin')) return
    const byTwin = Map.groupBy(stored, ({ twinId }) => twinId)
    for (const [twinId, values] of byTwin) {
      const topic = `twin:${twinId}` as const
      if (this.#ctx.live.hasFollowersHere(topic))
        this.#ctx.live.publishHere(topic, { kind: 'values', topic, values: values.map(toLive) })
    }
  }

  /** Nodes with readers get the values, all of them the twins whose levels may have changed. */
  #tellOthers(stored: readonly StoredValue[], levelled: ReadonlySet<number>): void {
    const { nodes, live } = this.#ctx
    if (levelled.size > 0) nodes.tell(levelledSubject, [...levelled])
    if (!live.isFollowedElsewhere(['twin', 'dashboard', 'moves', 'warn'])) return
    for (let start = 0; start < stored.length; start += toldMax)
      nodes.tell(storedSubject, stored.slice(start, start + toldMax))
  }

  /**
   * Stores values that do not come from packets (set by hand, by a rule, random). Transformers of the states do not
   * run. The same value at the same millisecond is stored once.
   * @param also runs in the same transaction
   * @throws AppError VALUE_WRONG_TYPE, DTWIN_STATE_NOT_FOUND, PACKET_TOO_FAR_AHEAD; then nothing is stored
   */
  async write(values: readonly ValueInput[], also?: (tx: Executor) => Promise<void>): Promise<void> {
    const ahead = values.find(({ time }) => time.getTime() > this.#ctx.clock.now().getTime() + aheadMaxMs)
    if (ahead !== undefined) throw new AppError('PACKET_TOO_FAR_AHEAD', { stateId: ahead.stateId })
    await this.prepareMonths(
      'state_values',
      values.map(({ time }) => time),
    )
    await this.store(async ({ db }, apply) => {
      const { refused } = await apply(values)
      const own = refused.find((refusal) => values.some((value) => value.stateId === refusal.stateId))
      if (own !== undefined) throw new AppError(own.code, { stateId: own.stateId }, own.message)
      await also?.(db)
    })
  }

  /** Computes aggregates from the current values of their sources, e.g. after one was created or changed. */
  async recompute(stateIds: readonly number[]): Promise<void> {
    await this.#ctx.configChanges.settle()
    // Transactions in progress may not know the aggregate yet, so wait for their commit.
    await this.#ctx.writer.transaction(async () => undefined)
    const metas = await this.catalog.get(this.#ctx.db, stateIds)
    const current = await readCurrent(
      this.#ctx.db,
      [...metas.values()].flatMap(({ sourceIds }) => sourceIds),
    )
    const windows = [...metas.values()].flatMap((meta) =>
      meta.window === null ? [] : [{ ...meta, window: meta.window }],
    )
    const nowMs = this.#ctx.clock.now().getTime()
    const notes: ClockNote[] = []
    const inputs = [...metas.values()].flatMap((meta): ComputedInput[] => {
      if (meta.window !== null) return []
      const counted = new Map(current)
      const freshness = meta.stale && new Freshness(meta.stale, meta.sourceIds, counted, nowMs)
      const input = freshness?.isUnknown ? null : computeNow(meta, counted)
      const dueMs = freshness?.dueMs ?? null
      if (freshness !== null || input === null)
        notes.push({
          stateId: meta.id,
          due: dueMs === null ? null : new Date(dueMs),
          isEmpty: input === null,
        })
      return input === null ? [] : [input]
    })
    const transformed = await this.transform(inputs)
    const transform = (looked: readonly ComputedInput[]) => this.transform(looked)
    const looked = await lookBack(this.#ctx.db, windows, this.#ctx.clock.now(), transform)
    const values = [...transformed.values, ...looked.values]
    const refused = await this.#storeComputed({ values, rows: [], notes: [...notes, ...looked.notes] })
    this.#deriver.forgetTwins(new Set([...metas.values()].map(({ twinId }) => twinId)))
    for (const { stateId, code, message } of [...transformed.refused, ...looked.refused, ...refused])
      this.#ctx.log.warn({ stateId, code }, `no first value: ${message}`)
  }
}

/** Events for followed values of each account, those of a twin in their order. */
function toEvents(stored: readonly StoredValue[], withMeta: boolean): NewEvent[] {
  return [...Map.groupBy(stored, ({ accountId }) => accountId)].flatMap(([accountId, ofAccount]) =>
    eventPieces(ofAccount).map((values) => valuesStored.event(accountId, toPayload(values, withMeta))),
  )
}

/**
 * Cuts values so that no event has two that were the newest of the same state: what follows an event is done once
 * for each of them. Values of a twin keep their order; those of other twins fill up the earlier events.
 */
export function eventPieces<T extends Pick<StoredValue, 'stateId' | 'twinId' | 'isCurrent' | 'wasNewest'>>(
  values: readonly T[],
): T[][] {
  const pieces: { values: T[]; newest: Set<number> }[] = []
  const pieceOf = new Map<number, number>()
  for (const value of values) {
    const counts = isNewest(value)
    let at = pieceOf.get(value.twinId) ?? 0
    if (counts && pieces[at]?.newest.has(value.stateId) && at + 1 < piecesMax) at++
    while ((pieces[at]?.values.length ?? 0) >= valuesPerEvent) at++
    pieceOf.set(value.twinId, at)
    pieces[at] ??= { values: [], newest: new Set() }
    pieces[at]?.values.push(value)
    if (counts) pieces[at]?.newest.add(value.stateId)
  }
  return pieces.map((piece) => piece.values)
}

function isNewest({ isCurrent, wasNewest }: Pick<StoredValue, 'isCurrent' | 'wasNewest'>): boolean {
  return isCurrent || wasNewest
}

function toPayload(all: readonly StoredValue[], withMeta: boolean): ValuesStored {
  const indexes = new Map<ValueSource, number>()
  const values = all.map((stored): ValuesStored['values'][number] => {
    const { stateId, twinId, key, time, value, source } = stored
    let index = indexes.get(source)
    if (index === undefined) {
      index = indexes.size
      indexes.set(source, index)
    }
    return [stateId, twinId, key, time.getTime(), value, isNewest(stored), index]
  })
  const sources = [...indexes.keys()].map((source) => (withMeta ? source : withoutMeta(source)))
  return { sources, values }
}

function withoutMeta(source: ValueSource): ValueSource {
  if (source.kind !== 'packet' || source.meta === undefined) return source
  const { meta: _, ...rest } = source
  return rest
}

/** A stored value in the format of the live connection. */
export function toLive({ stateId, twinId, key, value, time }: StoredValue): LiveValue {
  return { stateId, twinId, key, value, timeMs: time.getTime() }
}
