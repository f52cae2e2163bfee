import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Logger } from '../log.ts'
import { type DatabaseAddress, type Executor, openConnection } from './index.ts'

/**
 * Tables whose changes are announced, see migrations 0002, 0005, 0013, 0015, 0041, 0066, 0084, 0089, 0110, 0122. Besides: polygons
 * of twins (0081), corrected values (`announceCorrected`), accounts from which twins or scopes were deleted (0127), states from
 * which others are computed (0128), twins of which only the position has changed, which are none of `twins` (0129), accounts whose
 * scopes have changed or that got a scope below theirs, and accounts that were moved or demand another sign-in (0130).
 */
export type WatchedTable =
  | 'virtual_devices'
  | 'twins'
  | 'twin_moves'
  | 'twin_areas'
  | 'assets'
  | 'drivers'
  | 'driver_acceptances'
  | 'states'
  | 'state_links'
  | 'state_values'
  | 'state_members'
  | 'state_sources'
  | 'twin_references'
  | 'connectors'
  | 'rules'
  | 'rule_triggers'
  | 'rule_members'
  | 'rule_inputs'
  | 'rule_places'
  | 'accounts'
  | 'account_lines'
  | 'account_modules'
  | 'scopes'
  | 'scope_accounts'
  | 'left_accounts'
  | 'roles'
  | 'users'
  | 'user_access'
  | 'dashboards'
  | 'widgets'
  | 'sessions'
  | 'second_factors'
  | 'api_keys'
  | 'applications'
  | 'application_grants'
  | 'oauth_records'
  | 'oauth_keys'
  | 'brands'
  | 'warn_monitors'

/**
 * Ids of changed rows (migration 0002 defines which id), or `*` when there are many or some may have been
 * missed.
 */
export type ChangedIds = readonly number[] | '*'

const channel = 'config_changed'
const retryMs = 1_000

/** Announces a change with the commit, where no trigger does. */
export async function announce(db: Executor, table: WatchedTable, ids: ChangedIds): Promise<void> {
  await sql`select pg_notify(${channel}, ${`${table}:${ids === '*' ? ids : ids.join(',')}`})`.execute(db)
}

/**
 * Notifies caches of changes in the tables they copy, whichever process made them. After a lost connection
 * every listener gets `*`, because notifications may have been missed.
 */
export class ConfigChanges implements AsyncDisposable {
  readonly #address: DatabaseAddress
  readonly #log: Logger
  readonly #listeners = new Map<WatchedTable, Set<(ids: ChangedIds) => void>>()
  readonly #pings = new Map<string, () => void>()
  #ping: Promise<void> | undefined
  #nextPing: Promise<void> | undefined
  #client: pg.Client | undefined
  #retry: NodeJS.Timeout | undefined
  #stopped = false

  constructor(address: DatabaseAddress, log: Logger) {
    this.#address = address
    this.#log = log
  }

  /** Calls `listener` after each committed change of the table. Must not throw. */
  on(table: WatchedTable, listener: (ids: ChangedIds) => void): void {
    const listeners = this.#listeners.get(table) ?? new Set()
    listeners.add(listener)
    this.#listeners.set(table, listeners)
  }

  /** Starts listening. */
  async start(): Promise<void> {
    await this.#connect()
  }

  /** Resolves when everything committed before the call has been announced. At once while the connection is lost. */
  settle(): Promise<void> {
    // One question at a time; who comes while one is on its way shares the next.
    this.#nextPing ??= (this.#ping ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        this.#ping = this.#nextPing
        this.#nextPing = undefined
        return this.#ask()
      })
    return this.#nextPing
  }

  async #ask(): Promise<void> {
    if (this.#client === undefined) return
    const id = randomUUID()
    const answered = new Promise<void>((resolve) => this.#pings.set(id, resolve))
    try {
      await this.#client.query('select pg_notify($1, $2)', [channel, `ping:${id}`])
      await answered
    } finally {
      this.#pings.delete(id)
    }
  }

  /**
   * Whether everything committed before the call has been announced within this time. False at once while the connection is
   * lost.
   */
  async heardWithin(ms: number): Promise<boolean> {
    if (this.#client === undefined) return false
    const waiting = new AbortController()
    const late = delay(ms, false, { signal: waiting.signal, ref: false })
    const heard = this.settle().then(
      () => true,
      (error: unknown) => {
        this.#log.warn({ err: error }, 'changes could not be waited for')
        return false
      },
    )
    try {
      return await Promise.race([heard, late])
    } finally {
      late.catch(() => {})
      waiting.abort()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#retry)
    for (const resolve of this.#pings.values()) resolve()
    await this.#client?.end()
  }

  async #connect(): Promise<void> {
    const client = await openConnection(this.#address, 'leitstand config changes')
    client.on('notification', ({ payload }) => this.#announce(payload ?? ''))
    client.on('error', (error) =>
      this.#log.warn({ err: error }, 'the connection that announces changes broke'),
    )
    try {
      await client.query(`listen ${channel}`)
    } catch (error) {
      await client.end()
      throw error
    }
    // Only added now: an earlier failure is handled by the caller, and two reconnects would leave two
    // connections open.
    client.on('end', () => {
      this.#client = undefined
      this.#reconnectLater()
    })
    this.#client = client
  }

  #reconnectLater(): void {
    if (this.#stopped) return
    this.#retry = setTimeout(() => {
      this.#connect().then(
        () => this.#announceEverything(),
        (error: unknown) => {
          this.#log.warn({ err: error }, 'waiting for changes is interrupted; tried again in a second')
          this.#reconnectLater()
        },
      )
    }, retryMs)
  }

  #announceEverything(): void {
    for (const listeners of this.#listeners.values()) for (const listener of listeners) listener('*')
    for (const resolve of this.#pings.values()) resolve()
    this.#pings.clear()
  }

  #announce(payload: string): void {
    const colon = payload.indexOf(':')
    const [subject, rest] = [payload.slice(0, colon), payload.slice(colon + 1)]
    if (subject === 'ping') {
      this.#pings.get(rest)?.()
      this.#pings.delete(rest)
      return
    }
    const ids = rest === '*' ? '*' : rest.split(',').map(Number)
    for (const listener of this.#listeners.get(subject as WatchedTable) ?? []) listener(ids)
  }
}
