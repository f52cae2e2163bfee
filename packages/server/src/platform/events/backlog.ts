import type { Place } from './progress.ts'
import type { RawEvent } from './store.ts'
import type { EventOf, Topic } from './topic.ts'

/** Events per call of a handler, and the stored size after which it takes no more. */
export const batchMax = 500
const batchBytesMax = 2_000_000
/**
 * A call that takes longer marks its accounts as slow: their events are handled separately from those of
 * others.
 */
const slowMs = 250
/** How long accounts stay slow, unless a call of their own was quick. */
const slowForMs = 60_000
const slowAccountsMax = 10_000
/**
 * Failed calls with several events of a partition before they are tried one by one; with one event before it
 * is parked.
 */
const attemptsMax = { several: 5, single: 3 } as const
const backOffMs = [100, 200, 400, 800, 1600]

/** An event waiting for its consumer. */
export interface Item {
  raw: RawEvent
  /** null: it, or its partition, cannot be read; `unreadable` holds the reason */
  event: EventOf<Topic> | null
  unreadable: { error: unknown } | null
  /** 0: the event concerns the whole platform */
  accountId: number
  partition: string
  bytes: number
  /** null: it was parked, and a retry was requested */
  place: Place | null
  parkedId: number | null
}

interface Partition {
  readonly key: string
  readonly account: Account
  items: Item[]
  running: boolean
  /** its last call failed together with other partitions: the next call has this partition only */
  alone: boolean
  /** number of events still to be tried one by one, because they failed together */
  singly: number
  /** failed calls with the first event in the queue; `passing`: for unrelated, temporary reasons */
  attempts: number
  passing: number
  notBeforeMs: number
}

interface Account {
  readonly id: number
  readonly partitions: Map<string, Partition>
  /** events that are not handled, including those of calls in progress */
  items: number
  /** time spent on its calls, compared with that of other accounts */
  usedMs: number
}

/** One call: events of one or several partitions. Those of a partition are in order. */
export class Batch {
  readonly parts: { partition: Partition; items: Item[] }[] = []
  readonly isSlow: boolean
  size = 0
  bytes = 0

  constructor(isSlow: boolean) {
    this.isSlow = isSlow
  }

  get items(): Item[] {
    return this.parts.flatMap(({ items }) => items)
  }

  get isFull(): boolean {
    const { partition } = this.parts[0] ?? {}
    return this.size >= batchMax || this.bytes >= batchBytesMax || partition?.alone === true
  }
}

/**
 * Events a consumer has read but not handled. Events of a partition are handled in order, one call at a time.
 * Accounts take turns: the one whose calls have taken the least time goes first, and slow ones never occupy
 * all calls.
 */
export class Backlog {
  readonly #accounts = new Map<number, Account>()
  readonly #parked = new Set<number>()
  readonly #slowUntilMs = new Map<number, number>()
  readonly #sideBySide: number
  readonly #apart: number | null
  /** calls in progress */
  readonly #batches = new Set<Batch>()
  #running = 0
  #runningSlow = 0

  /**
   * @param sideBySide maximum number of concurrent calls
   * @param apart maximum number of events of a call, which then has one partition only; null: calls have several
   */
  constructor(sideBySide: number, apart: number | null = null) {
    this.#sideBySide = sideBySide
    this.#apart = apart
  }

  get isEmpty(): boolean {
    return this.#accounts.size === 0
  }

  /** Events that are not handled, including those of calls in progress. */
  get size(): number {
    let size = 0
    for (const { items } of this.#accounts.values()) size += items
    return size
  }

  /** When the oldest event that is not handled was appended, in ms since 1970; those of calls in progress included. */
  get oldestMs(): number | null {
    let oldest: number | null = null
    const note = (item: Item | undefined) => {
      // A parked one is old because somebody has to look at it.
      if (item === undefined || item.parkedId !== null) return
      const atMs = item.raw.at.getTime()
      if (oldest === null || atMs < oldest) oldest = atMs
    }
    for (const { parts } of this.#batches) for (const { items } of parts) note(items[0])
    for (const { partitions } of this.#accounts.values())
      for (const { items } of partitions.values()) note(items[0])
    return oldest
  }

  /** Whether a parked event is waiting for its retry, or is being retried. */
  hasParked(parkedId: number): boolean {
    return this.#parked.has(parkedId)
  }

  /** Events of an account that are not handled. */
  countOf(accountId: number): number {
    return this.#accounts.get(accountId)?.items ?? 0
  }

  /** A parked event was retried, whatever the result. */
  forgetParked(parkedId: number): void {
    this.#parked.delete(parkedId)
  }

  add(item: Item): void {
    const account = this.#accountOf(item.accountId)
    let partition = account.partitions.get(item.partition)
    if (partition === undefined) {
      partition = newPartition(item.partition, account)
      account.partitions.set(item.partition, partition)
    }
    partition.items.push(item)
    account.items++
    if (item.parkedId !== null) this.#parked.add(item.parkedId)
  }

  /** The next call; undefined when there is none to make now. End it with `finish`, `retry` or `giveUp`. */
  take(nowMs: number): Batch | undefined {
    if (this.#running >= this.#sideBySide) return undefined
    const ready = [...this.#accounts.values()]
      .filter((account) => hasReady(account, nowMs))
      .sort((one, other) => one.usedMs - other.usedMs)
    const mayBeSlow = this.#runningSlow < Math.max(1, this.#sideBySide >> 1)
    const first = ready.find((account) => mayBeSlow || !this.#isSlow(account, nowMs))
    if (first === undefined) return undefined
    const batch = new Batch(this.#isSlow(first, nowMs))
    if (this.#apart !== null) {
      fillApart(batch, first, nowMs, this.#apart)
      return this.#begin(batch)
    }
    const together = batch.isSlow ? [first] : ready.filter((account) => !this.#isSlow(account, nowMs))
    const share = Math.max(1, Math.floor(batchMax / together.length))
    for (const account of together) fill(batch, account, nowMs, share)
    for (const account of together) fill(batch, account, nowMs, batchMax)
    return this.#begin(batch)
  }

  /** When the next waiting partition may be retried; null when none is waiting. */
  nextTryMs(nowMs: number): number | null {
    let next: number | null = null
    for (const { partitions } of this.#accounts.values())
      for (const { running, notBeforeMs } of partitions.values())
        if (!running && notBeforeMs > nowMs) next = Math.min(next ?? notBeforeMs, notBeforeMs)
    return next
  }

  /** A call has handled its events. */
  finish(batch: Batch, tookMs: number, nowMs: number): void {
    for (const { partition, items } of batch.parts) {
      partition.account.items -= items.length
      partition.singly = Math.max(0, partition.singly - items.length)
      partition.alone = partition.singly > 0
      partition.attempts = 0
      partition.passing = 0
    }
    this.#end(batch, tookMs, nowMs)
  }

  /** A call failed for an unrelated reason: its events are retried without limit. */
  retry(batch: Batch, tookMs: number, nowMs: number): void {
    for (const { partition, items } of batch.parts) {
      partition.items.unshift(...items)
      partition.notBeforeMs = nowMs + backOff(partition.passing++)
    }
    this.#end(batch, tookMs, nowMs)
  }

  /**
   * A call failed. Several partitions are retried in separate calls, several events one by one after some
   * attempts.
   * @returns the event to park, and the number of attempts; undefined when everything is retried
   */
  fail(batch: Batch, tookMs: number, nowMs: number): { item: Item; attempts: number } | undefined {
    const [first, ...others] = batch.parts
    const parked = first && others.length === 0 ? failPartition(first, nowMs) : undefined
    if (parked === undefined) {
      for (const { partition, items } of batch.parts) {
        partition.items.unshift(...items)
        partition.alone = true
      }
    }
    this.#end(batch, tookMs, nowMs)
    return parked
  }

  #begin(batch: Batch): Batch {
    this.#batches.add(batch)
    this.#running++
    if (batch.isSlow) this.#runningSlow++
    return batch
  }

  #end(batch: Batch, tookMs: number, nowMs: number): void {
    this.#batches.delete(batch)
    this.#running--
    if (batch.isSlow) this.#runningSlow--
    const accounts = new Set(batch.parts.map(({ partition }) => partition.account))
    this.#noteSpeed(accounts, tookMs, nowMs)
    for (const { partition, items } of batch.parts) {
      const { account, key } = partition
      partition.running = false
      account.usedMs += (tookMs * items.length) / batch.size
      if (partition.items.length === 0) account.partitions.delete(key)
    }
    for (const account of accounts) if (account.partitions.size === 0) this.#accounts.delete(account.id)
  }

  #noteSpeed(accounts: ReadonlySet<Account>, tookMs: number, nowMs: number): void {
    for (const { id } of accounts) {
      this.#slowUntilMs.delete(id)
      if (tookMs > slowMs) this.#slowUntilMs.set(id, nowMs + slowForMs)
    }
    for (const id of this.#slowUntilMs.keys()) {
      if (this.#slowUntilMs.size <= slowAccountsMax) break
      this.#slowUntilMs.delete(id)
    }
  }

  #isSlow({ id }: Account, nowMs: number): boolean {
    return (this.#slowUntilMs.get(id) ?? 0) > nowMs
  }

  /**
   * A returning account starts level with the least used one, so that it neither waits nor dominates for
   * long.
   */
  #accountOf(id: number): Account {
    let account = this.#accounts.get(id)
    if (account !== undefined) return account
    let usedMs = Number.POSITIVE_INFINITY
    for (const other of this.#accounts.values()) usedMs = Math.min(usedMs, other.usedMs)
    account = { id, partitions: new Map(), items: 0, usedMs: Number.isFinite(usedMs) ? usedMs : 0 }
    this.#accounts.set(id, account)
    return account
  }
}

function newPartition(key: string, account: Account): Partition {
  return {
    key,
    account,
    items: [],
    running: false,
    alone: false,
    singly: 0,
    attempts: 0,
    passing: 0,
    notBeforeMs: 0,
  }
}

/** Adds up to `max` events of an account to a call that has room. */
function fill(batch: Batch, { partitions }: Account, nowMs: number, max: number): void {
  let left = max
  for (const partition of partitions.values()) {
    if (left <= 0 || batch.isFull) return
    if (!isReady(partition, nowMs) || (partition.alone && batch.size > 0)) continue
    left -= add(batch, partition, Math.min(left, batchMax - batch.size))
  }
}

/** Adds up to `max` events of one partition of an account, which then comes after the others. */
function fillApart(batch: Batch, { partitions }: Account, nowMs: number, max: number): void {
  for (const partition of partitions.values()) {
    if (!isReady(partition, nowMs)) continue
    add(batch, partition, max)
    partitions.delete(partition.key)
    partitions.set(partition.key, partition)
    return
  }
}

/** @returns how many events were added */
function add(batch: Batch, partition: Partition, max: number): number {
  const items = firstOf(partition, max, batchBytesMax - batch.bytes)
  partition.running = true
  batch.parts.push({ partition, items })
  batch.size += items.length
  for (const { bytes } of items) batch.bytes += bytes
  return items.length
}

/** Takes the first events of a partition, at least one. */
function firstOf(partition: Partition, max: number, bytesMax: number): Item[] {
  const most = partition.singly > 0 ? 1 : max
  let [count, bytes] = [0, 0]
  for (const item of partition.items) {
    if (count >= most || (count > 0 && bytes + item.bytes > bytesMax)) break
    // An unreadable event is parked in a call of its own.
    if (item.unreadable !== null && count > 0) break
    count++
    bytes += item.bytes
    if (item.unreadable !== null) break
  }
  return partition.items.splice(0, count)
}

/** A call of this partition alone failed. @returns the event to park */
function failPartition(
  { partition, items }: Batch['parts'][number],
  nowMs: number,
): { item: Item; attempts: number } | undefined {
  const [only] = items
  partition.attempts++
  const { attempts } = partition
  if (items.length === 1 && only !== undefined && (attempts >= attemptsMax.single || only.unreadable)) {
    partition.account.items--
    partition.singly = Math.max(0, partition.singly - 1)
    partition.alone = partition.singly > 0
    partition.attempts = 0
    return { item: only, attempts }
  }
  partition.notBeforeMs = nowMs + backOff(attempts - 1)
  if (items.length > 1 && attempts >= attemptsMax.several) {
    partition.singly = items.length
    partition.attempts = 0
  }
  return undefined
}

function hasReady({ partitions }: Account, nowMs: number): boolean {
  for (const partition of partitions.values()) if (isReady(partition, nowMs)) return true
  return false
}

function isReady({ running, items, notBeforeMs }: Partition, nowMs: number): boolean {
  return !running && items.length > 0 && notBeforeMs <= nowMs
}

function backOff(failures: number): number {
  return backOffMs[failures] ?? (backOffMs.at(-1) as number)
}
