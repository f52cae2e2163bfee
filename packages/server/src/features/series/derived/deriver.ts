import pg from 'pg'
import type { Clock } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { Events } from '../../../platform/events/index.ts'
import type { Logger } from '../../../platform/log.ts'
import type { Nodes } from '../../../platform/nodes/index.ts'
import {
  type ComputedInput,
  type Pending,
  passesThrough,
  type RefusedValue,
  type ValueInput,
} from '../apply.ts'
import type { StateCatalog } from '../catalog.ts'
import { type Moment, nameOf, readMoments } from '../corrections/store.ts'
import type { StateMeta } from '../store.ts'
import { fromColumns } from '../values.ts'
import { type ClockNote, lookBack, type WindowMeta } from '../windows/index.ts'
import { Aggregates } from './aggregates.ts'
import { accountsBehind, readDerivations, readValuesSince } from './store.ts'

const limits = {
  /** minimum interval per account: changes in between are computed together */
  everyMs: 100,
  /**
   * Source values an account may queue in memory, counted once for each state computed from them, and rows in
   * `derivations` for them. Beyond it aggregates are loaded again with all their sources, which costs far more.
   */
  changesMax: 50_000,
  rowsMax: 1_000,
  /** the same for all accounts together; a queued value takes about 250 bytes */
  allChangesMax: 200_000,
  /** values of one transaction */
  valuesMax: 2_000,
  /** after a failure */
  retryMs: 1_000,
  /** interval for finding rows left by another process */
  leftoversMs: 30_000,
} as const

/** Accounts with states to compute, told to the node that does. */
const notedSubject = 'series.noted'

interface Account {
  readonly id: number
  /** states to compute, with the changed values of their sources */
  pending: Map<number, Pending>
  changes: number
  /** ids of the rows in `derivations` that note them */
  rows: number[]
  /** the queue overflowed: the rows in `derivations` are computed from current values */
  isBehind: boolean
  /** rows were noted since the database was last read */
  hasMore: boolean
  isActive: boolean
  dueMs: number
  /** after a failure */
  restsUntilMs: number
}

/** Computed values on their way to the database. */
export interface Piece {
  values: readonly ValueInput[]
  rows: readonly number[]
  notes: readonly ClockNote[]
}

interface Tools {
  db: Db
  clock: Clock
  log: Logger
  catalog: StateCatalog
  transform(inputs: readonly ComputedInput[]): Promise<{ values: ComputedInput[]; refused: RefusedValue[] }>
  /** several nodes: each computes the accounts whose events it dispatches; the others tell it of notes */
  nodes: Pick<Nodes, 'isCluster' | 'tell' | 'hear'>
  events: Pick<Events, 'owns' | 'onMoved'>
  /** Stores computed values and notes, and deletes their `derivations` rows in the same transaction. */
  store(piece: Piece): Promise<readonly RefusedValue[]>
}

/**
 * Computes states that combine several sources or run a transformer, after their source values are committed.
 * Accounts are computed independently of each other; finished results are stored together.
 */
export class Deriver {
  readonly #tools: Tools
  readonly #aggregates = new Aggregates()
  /** accounts with work */
  readonly #accounts = new Map<number, Account>()
  #changes = 0
  #ready: { piece: Piece; stored: () => void; failed: (error: unknown) => void }[] = []
  #isStoring = false
  #timer: NodeJS.Timeout | undefined
  #leftovers: NodeJS.Timeout | undefined
  #isStopping = false
  /** callers of `settle` and `stop`; while there are any, work is not delayed */
  #settling: (() => void)[] = []
  /** wait for accounts that are being computed, to give them up */
  #moving: (() => void)[] = []

  constructor(tools: Tools) {
    this.#tools = tools
    if (!tools.nodes.isCluster) return
    this.#isStopping = true
    tools.nodes.hear(notedSubject, (accounts) => this.#noteOwn(accounts as number[]))
    tools.events.onMoved(() => this.#moved())
  }

  #owns(accountId: number): boolean {
    const { nodes, events } = this.#tools
    return !this.#isStopping && (!nodes.isCluster || events.owns(accountId))
  }

  /** Gives up accounts that another node computes from now on, and continues with those that came. */
  async #moved(): Promise<void> {
    const isLeft = ({ id }: Account) => !this.#owns(id)
    while ([...this.#accounts.values()].some((account) => account.isActive && isLeft(account)))
      await new Promise<void>((resolve) => this.#moving.push(resolve))
    for (const account of this.#accounts.values()) if (isLeft(account)) this.#drop(account)
    if (!this.#isStopping) await this.findLeftovers()
  }

  /** Forgets an account; the database has its notes. */
  #drop(account: Account): void {
    this.#fallBehind(account)
    this.#accounts.delete(account.id)
  }

  /** Continues the work left by an earlier process. */
  async start(): Promise<void> {
    this.#isStopping = false
    await this.findLeftovers()
    this.#leftovers = setInterval(
      () => this.findLeftovers().catch((err: unknown) => this.#warn(err)),
      limits.leftoversMs,
    )
  }

  /** Stops after the work in progress; the next process does the rest. It can be started again. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#leftovers)
    clearTimeout(this.#timer)
    while (this.#isStoring || [...this.#accounts.values()].some(({ isActive }) => isActive))
      await new Promise<void>((resolve) => this.#settling.push(resolve))
    if (!this.#tools.nodes.isCluster) return
    for (const account of this.#accounts.values()) this.#drop(account)
  }

  /**
   * With several nodes values are stored by all of them, so what is in memory here says nothing.
   * @returns accounts that another node computes
   */
  #noteOwn(accountIds: Iterable<number>): number[] {
    const others: number[] = []
    for (const id of accountIds) {
      if (this.#owns(id)) this.#fallBehind(this.#accountOf(id))
      else others.push(id)
    }
    this.#schedule()
    return others
  }

  /**
   * Queues states whose source values were committed.
   * @param rows ids in `derivations` by account
   */
  note(pending: Iterable<Pending>, rows: ReadonlyMap<number, number>): void {
    const { nodes } = this.#tools
    if (nodes.isCluster) {
      const others = this.#noteOwn(rows.keys())
      if (others.length > 0) nodes.tell(notedSubject, others)
      return
    }
    for (const { meta, changes } of pending) {
      const account = this.#accountOf(meta.accountId)
      account.hasMore = true
      if (account.isBehind) continue
      const known = account.pending.get(meta.id)
      if (known === undefined) account.pending.set(meta.id, { meta, changes: [...changes] })
      else known.changes.push(...changes)
      account.changes += changes.length
      this.#changes += changes.length
    }
    for (const [accountId, row] of rows) {
      const account = this.#accountOf(accountId)
      if (account.isBehind) continue
      account.rows.push(row)
      const isFull = account.changes > limits.changesMax || account.rows.length > limits.rowsMax
      if (isFull || this.#changes > limits.allChangesMax) this.#fallBehind(account)
    }
    this.#schedule()
  }

  /** Forgets aggregates of twins that changed by other means than new values. */
  forgetTwins(twinIds: Iterable<number>): void {
    this.#aggregates.forgetTwins(twinIds)
  }

  /** Forgets aggregates whose sources are others now. */
  forgetStates(stateIds: Iterable<number>): void {
    this.#aggregates.forgetChanged(stateIds)
  }

  forgetAll(): void {
    this.#aggregates.clear()
  }

  /** Resolves when everything committed so far has been computed. */
  async settle(): Promise<void> {
    while (!this.#isStopping && (this.#isStoring || this.#accounts.size > 0)) {
      const idle = new Promise<void>((resolve) => this.#settling.push(resolve))
      this.#schedule()
      await idle
    }
  }

  #accountOf(id: number): Account {
    let account = this.#accounts.get(id)
    if (account === undefined) {
      account = {
        id,
        ...nothing(),
        isBehind: false,
        hasMore: false,
        isActive: false,
        dueMs: 0,
        restsUntilMs: 0,
      }
      this.#accounts.set(id, account)
    }
    return account
  }

  /** Drops the queue in memory; the database still has it in `derivations`. */
  #fallBehind(account: Account): void {
    this.#aggregates.forget(account.pending.keys())
    this.#take(account)
    account.isBehind = true
    account.hasMore = true
  }

  #take(account: Account): { pending: Map<number, Pending>; rows: number[] } {
    const { pending, rows, changes } = account
    this.#changes -= changes
    Object.assign(account, nothing())
    return { pending, rows }
  }

  /** Continues with noted states that no account in memory is working on. */
  async findLeftovers(): Promise<void> {
    for (const id of await accountsBehind(this.#tools.db)) {
      // Accounts in memory are already being processed.
      if (this.#accounts.has(id) || !this.#owns(id)) continue
      this.#fallBehind(this.#accountOf(id))
    }
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isStopping) {
      this.#wakeSettling()
      return
    }
    const now = performance.now()
    let next = Number.POSITIVE_INFINITY
    for (const account of this.#accounts.values()) {
      if (account.isActive || !this.#owns(account.id)) continue
      const dueMs = Math.max(account.restsUntilMs, this.#settling.length > 0 ? 0 : account.dueMs)
      if (dueMs <= now) void this.#compute(account, now)
      else next = Math.min(next, dueMs)
    }
    clearTimeout(this.#timer)
    if (Number.isFinite(next)) this.#timer = setTimeout(() => this.#schedule(), next - now)
    if (this.#accounts.size === 0 && !this.#isStoring) this.#wakeSettling()
  }

  #wakeSettling(): void {
    for (const resolve of this.#settling.splice(0)) resolve()
  }

  async #compute(account: Account, now: number): Promise<void> {
    account.isActive = true
    account.dueMs = now + limits.everyMs
    const states = account.isBehind ? [] : [...account.pending.keys()]
    try {
      const piece = account.isBehind ? await this.#fromDatabase(account) : await this.#fromMemory(account)
      if (piece.rows.length + piece.values.length + piece.notes.length > 0) await this.#hand(piece)
    } catch (error) {
      this.#warn(error)
      this.#aggregates.forget(states)
      this.#fallBehind(account)
      account.restsUntilMs = performance.now() + limits.retryMs
    }
    account.isActive = false
    for (const resolve of this.#moving.splice(0)) resolve()
    const isDone = !account.isBehind && account.pending.size === 0 && account.rows.length === 0
    // Keep the account until it is due again, otherwise a busy one would be computed with every batch.
    if (isDone && (account.dueMs <= performance.now() || this.#settling.length > 0))
      this.#accounts.delete(account.id)
    this.#schedule()
  }

  /** Computes the changes queued since the last run. */
  async #fromMemory(account: Account): Promise<Piece> {
    const { pending, rows } = this.#take(account)
    const metas = await this.#tools.catalog.get(this.#tools.db, pending.keys())
    const inputs: ComputedInput[] = []
    const combined: Pending[] = []
    const windows: WindowMeta[] = []
    for (const [id, { changes }] of pending) {
      const meta = metas.get(id)
      if (meta === undefined) continue
      if (isWindow(meta)) windows.push(meta)
      else if (!passesThrough(meta)) combined.push({ meta, changes })
      else for (const { value, time } of changes) inputs.push({ stateId: id, value, time, values: [] })
    }
    const followed = await this.#aggregates.follow(this.#tools.db, combined, this.#tools.clock.now())
    inputs.push(...followed.inputs)
    const looked = await this.#lookBack(windows)
    const values = [...(await this.#transform(inputs)), ...looked.values]
    return { values, rows, notes: [...followed.notes, ...looked.notes] }
  }

  /** Computes the states noted in the database from current values. */
  async #fromDatabase(account: Account): Promise<Piece> {
    const { db, catalog } = this.#tools
    account.hasMore = false
    const { ids: rows, since } = await readDerivations(db, account.id)
    if (rows.length === 0) {
      account.isBehind = account.hasMore
      return { values: [], rows, notes: [] }
    }
    const metas = await catalog.get(db, since.keys())
    const inputs: ComputedInput[] = []
    const combined: Pending[] = []
    const windows: WindowMeta[] = []
    for (const meta of metas.values()) {
      const [sourceId] = meta.sourceIds
      if (sourceId === undefined) continue
      if (isWindow(meta)) windows.push(meta)
      else if (passesThrough(meta)) {
        const from = since.get(meta.id) as Date
        for (const value of await readValuesSince(db, sourceId, from))
          inputs.push({ stateId: meta.id, ...value, values: [] })
      } else combined.push({ meta, changes: [] })
    }
    this.#aggregates.forget(combined.map(({ meta }) => meta.id))
    const followed = await this.#aggregates.follow(db, combined, this.#tools.clock.now())
    inputs.push(...followed.inputs)
    const values = await this.#withoutKnown(await this.#transform(inputs))
    const looked = await this.#lookBack(windows)
    return { values: [...values, ...looked.values], rows, notes: [...followed.notes, ...looked.notes] }
  }

  async #lookBack(windows: readonly WindowMeta[]): Promise<{ values: ValueInput[]; notes: ClockNote[] }> {
    const { db, clock, transform } = this.#tools
    const { values, notes, refused } = await lookBack(db, windows, clock.now(), transform)
    this.#refuse(refused)
    return { values, notes }
  }

  async #transform(inputs: readonly ComputedInput[]): Promise<ValueInput[]> {
    if (inputs.length === 0) return []
    const { values, refused } = await this.#tools.transform(inputs)
    this.#refuse(refused)
    return values
  }

  /** Drops values that are already stored, so that rules are not triggered again. */
  async #withoutKnown(values: readonly ValueInput[]): Promise<ValueInput[]> {
    const moments: Moment[] = values.map(({ stateId, time }) => ({ stateId, time }))
    const known = await readMoments(this.#tools.db, moments)
    return values.filter((value) => {
      const row = known.get(nameOf(value))
      return row === undefined || JSON.stringify(fromColumns(row)) !== JSON.stringify(value.value)
    })
  }

  #hand(piece: Piece): Promise<void> {
    return new Promise((stored, failed) => {
      this.#ready.push({ piece, stored, failed })
      void this.#store()
    })
  }

  /** Stores finished results, several accounts per transaction. */
  async #store(): Promise<void> {
    if (this.#isStoring) return
    this.#isStoring = true
    while (this.#ready.length > 0) {
      const taken = this.#takeReady()
      try {
        await this.#storePieces(taken.map(({ piece }) => piece))
        for (const { stored } of taken) stored()
      } catch (error) {
        for (const { failed } of taken) failed(error)
      }
    }
    this.#isStoring = false
    this.#schedule()
  }

  #takeReady() {
    let [count, size] = [0, 0]
    for (const { piece } of this.#ready) {
      size += piece.values.length
      if (count > 0 && size > limits.valuesMax) break
      count++
    }
    return this.#ready.splice(0, count)
  }

  async #storePieces(pieces: readonly Piece[]): Promise<void> {
    const values = pieces.flatMap((piece) => piece.values)
    const rows = pieces.flatMap((piece) => piece.rows)
    const notes = pieces.flatMap((piece) => piece.notes)
    try {
      this.#refuse(await this.#tools.store({ values, rows, notes }))
    } catch (error) {
      if (!isDataError(error)) throw error
      // One value fails the whole transaction: retry piece by piece, then value by value.
      if (pieces.length > 1) for (const piece of pieces) await this.#storePieces([piece])
      else await this.#storeOneByOne({ values, rows, notes })
    }
  }

  async #storeOneByOne({ values, ...rest }: Piece): Promise<void> {
    for (const value of values) {
      try {
        this.#refuse(await this.#tools.store({ values: [value], rows: [], notes: [] }))
      } catch (error) {
        if (!isDataError(error)) throw error
        const { stateId } = value
        this.#tools.log.warn({ err: error, stateId }, 'the database cannot hold a computed value')
      }
    }
    await this.#tools.store({ values: [], ...rest })
  }

  #refuse(refused: readonly RefusedValue[]): void {
    for (const { stateId, code, message } of refused) {
      if (code === 'DTWIN_STATE_NOT_FOUND') continue
      this.#tools.log.warn({ stateId, code }, `a computed value was refused: ${message}`)
    }
  }

  #warn(err: unknown): void {
    this.#tools.log.warn({ err }, 'states could not be computed; tried again in a second')
  }
}

function nothing(): Pick<Account, 'pending' | 'changes' | 'rows'> {
  return { pending: new Map(), changes: 0, rows: [] }
}

function isWindow(meta: StateMeta): meta is StateMeta & WindowMeta {
  return meta.window !== null
}

/** Class 22: data exception, the value cannot be represented. Class 54: a program limit was exceeded. */
function isDataError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(22|54)/.test(error.code ?? '')
}
