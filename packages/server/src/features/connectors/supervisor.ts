import { setTimeout as delay } from 'node:timers/promises'
import type { ConnectorState } from '@leitstand/contract/bridge'
import type { Context } from '../../platform/context.ts'
import { isPassing } from '../../platform/db/passing.ts'
import { messageOf } from '../../platform/errors.ts'
import { backoffMs } from '../../platform/mqtt/backoff.ts'
import { connectorChanged } from '../../topics/connectorChanged.ts'
import type { HookKeys } from './keys/registry.ts'
import { isAppliedAtOnce, kinds, type Stop } from './kinds/index.ts'
import type { Limiter } from './limits/limiter.ts'
import type { Reading } from './presets/index.ts'
import { settingsOf } from './sealing.ts'
import { readConnectors, updateState } from './store/connectors.ts'
import { type KeyRow, readKeys } from './store/keys.ts'
import type { ConnectorTools } from './tools.ts'
import { type ConnectorRow, limitOf, readingOf, type StoredSettings } from './types.ts'

/** A connector this process knows. */
interface Known {
  row: ConnectorRow
  reading: Reading
  /** set while it is running */
  stop: Stop<StoredSettings> | undefined
  /** last reported state */
  state: ConnectorState
  message: string
  /** state writes run one after another */
  noted: Promise<void>
  retry: NodeJS.Timeout | undefined
  attempts: number
  /** several nodes: gives up the lease of a connection that is opened once */
  giveUp: (() => Promise<void>) | undefined
}

const followAgainMs = 1000
const keepAgainMs = 500

/**
 * Keeps running what the table `connectors` says: starts enabled connectors, follows every change and retries
 * failed starts. The table is the source of truth; code that changes it need not call anything, because a
 * change notification arrives on its own.
 */
export class Supervisor implements AsyncDisposable {
  readonly #tools: ConnectorTools
  readonly #ctx: Context
  readonly #limiter: Limiter
  readonly #known = new Map<number, Known>()
  readonly #keys: HookKeys
  /** serialises the changes of each connector */
  readonly #turns = new Map<number, Promise<void>>()
  /** whether connectors run in this process */
  #isRunning = false
  #stopping = false
  #again: NodeJS.Timeout | undefined

  constructor(tools: ConnectorTools, limiter: Limiter, keys: HookKeys) {
    this.#tools = tools
    this.#keys = keys
    this.#limiter = limiter
    this.#ctx = tools.ctx
  }

  /** Starts enabled connectors. One that fails to start shows this in its state and is retried. */
  async start(): Promise<void> {
    this.#isRunning = true
    this.#ctx.configChanges.on('connectors', (ids) => void this.#follow(ids))
    await this.#follow('*')
  }

  /** The connector of a webhook key. */
  findByKey(key: string): { id: number; accountId: number; reading: Reading; enabled: boolean } | undefined {
    const id = this.#keys.find(key)
    const known = id === undefined ? undefined : this.#known.get(id)
    if (!known) return undefined
    const { row, reading } = known
    return { id: row.id, accountId: row.accountId, reading, enabled: row.enabled }
  }

  /** Brings a connector in line with the table. */
  async refresh(id: number): Promise<void> {
    // Nodes that run connectors notice the change by themselves.
    if (!this.#isRunning) return
    await this.#inTurn(id, async () => {
      const [row] = await readConnectors(this.#ctx.db, [id])
      const keys = await readKeys(this.#ctx.db, [id])
      await this.#apply(id, row, keys.get(id))
    })
  }

  /** Records a state and restarts the connector. */
  reset(id: number, target: ConnectorState): Promise<void> {
    return this.#inTurn(id, async () => {
      const known = this.#known.get(id)
      if (!known) return
      await this.#end(known)
      const { journal } = this.#tools
      journal.logAlways(id, { level: 'info', event: 'reset', message: `State set to ${target}` })
      await this.#note(known, target, '')
      if (known.row.enabled) await this.#begin(known)
    })
  }

  /** Records what an attempt to send through a connector without a connection has shown. */
  report(id: number, state: ConnectorState, message: string): void {
    const known = this.#known.get(id)
    if (known?.row.enabled) void this.#note(known, state, message)
  }

  /** Resolves when every change noticed so far is applied and every state is written. */
  async drain(): Promise<void> {
    await Promise.all(this.#turns.values())
    await Promise.all([...this.#known.values()].map(({ noted }) => noted))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true
    clearTimeout(this.#again)
    await this.drain()
    const all = [...this.#known.values()]
    await Promise.all(all.map((known) => this.#end(known)))
    await Promise.all(all.map(({ noted }) => noted))
  }

  async #follow(ids: readonly number[] | '*'): Promise<void> {
    try {
      const rows = await readConnectors(this.#ctx.db, ids === '*' ? undefined : ids)
      // Read after the rows: a change of keys increments the version of their connector.
      const keys = await readKeys(
        this.#ctx.db,
        rows.map(({ id }) => id),
      )
      const present = new Map(rows.map((row) => [row.id, row]))
      const concerned = ids === '*' ? new Set([...present.keys(), ...this.#known.keys()]) : ids
      await Promise.all(
        [...concerned].map((id) => this.#inTurn(id, () => this.#apply(id, present.get(id), keys.get(id)))),
      )
    } catch (error) {
      this.#ctx.log.error({ err: error }, 'changed connectors could not be read; tried again in a second')
      clearTimeout(this.#again)
      this.#again = setTimeout(() => void this.#follow('*'), followAgainMs)
    }
  }

  async #apply(id: number, row: ConnectorRow | undefined, keys: readonly KeyRow[] = []): Promise<void> {
    if (this.#stopping) return
    const known = this.#known.get(id)
    if (!row) return known && this.#forget(known)
    if (!known) return this.#meet(row, keys)
    // State changes also cause notifications, and older rows may arrive after newer ones.
    if (row.version <= known.row.version) return
    const before = known.row
    known.row = row
    Object.assign(known.reading, readingOf(row))
    this.#keys.set(id, keys)
    this.#limiter.set(id, row.name, limitOf(row))
    const restart = before.enabled !== row.enabled || connectionOf(before) !== connectionOf(row)
    if (!restart) return
    known.attempts = 0
    await this.#end(known, { settings: row.enabled ? row.settings : null })
    if (row.enabled) await this.#begin(known)
    else await this.#note(known, 'disabled', '')
  }

  async #meet(row: ConnectorRow, keys: readonly KeyRow[]): Promise<void> {
    const known: Known = {
      row,
      reading: readingOf(row),
      stop: undefined,
      state: row.state,
      message: row.stateMessage,
      noted: Promise.resolve(),
      retry: undefined,
      attempts: 0,
      giveUp: undefined,
    }
    this.#known.set(row.id, known)
    this.#limiter.set(row.id, row.name, limitOf(row))
    this.#keys.set(row.id, keys)
    if (row.enabled) await this.#begin(known)
    else await this.#note(known, 'disabled', '')
  }

  async #forget(known: Known): Promise<void> {
    const { id } = known.row
    this.#known.delete(id)
    this.#keys.set(id, [])
    await this.#end(known, { settings: null })
    this.#tools.journal.forget(id)
    this.#limiter.forget(id)
  }

  /** Runs a connector here; one that opens its connection itself only on the node that has its lease. */
  async #begin(known: Known): Promise<void> {
    const { nodes } = this.#ctx
    const { id, kind } = known.row
    if (!nodes.isCluster || !kinds[kind].dialsOut) return this.#start(known)
    const isMine = () => this.#known.get(id) === known && known.row.enabled && !this.#stopping
    known.giveUp = nodes.share({
      key: `connector.${id}`,
      role: 'connect',
      start: () => this.#inTurn(id, async () => (isMine() ? this.#start(known) : undefined)),
      stop: () => this.#stop(known),
    })
  }

  async #end(known: Known, next?: { settings: StoredSettings | null }): Promise<void> {
    const { giveUp } = known
    known.giveUp = undefined
    await this.#stop(known, next)
    await giveUp?.()
  }

  async #start(known: Known): Promise<void> {
    const { row, reading } = known
    // A connector may report late, after it was stopped or replaced.
    const own = {}
    this.#starts.set(known, own)
    const setState = (state: ConnectorState, message: string) => {
      if (this.#starts.get(known) === own) void this.#note(known, state, message)
    }
    try {
      const settings = settingsOf(this.#ctx.secrets, row)
      const { id, accountId, name, kind } = row
      const connector = { id, accountId, name, settings, reading, setState }
      known.stop = await this.#tools.running.of(kind).receive?.(connector)
      known.attempts = 0
      // callers that changed the connector see the resulting state
      await known.noted
    } catch (error) {
      await this.#note(known, 'error', messageOf(error))
      const waitMs = backoffMs(known.attempts, Math.random())
      known.attempts += 1
      known.retry = setTimeout(() => {
        void this.#inTurn(row.id, async () => {
          if (!this.#stopping && this.#known.get(row.id) === known && !known.stop && known.row.enabled) {
            await this.#start(known)
          }
        })
      }, waitMs)
    }
  }

  readonly #starts = new WeakMap<Known, object>()

  async #stop(known: Known, next?: { settings: StoredSettings | null }): Promise<void> {
    clearTimeout(known.retry)
    this.#starts.delete(known)
    const { stop } = known
    known.stop = undefined
    try {
      await stop?.(next)
    } catch (error) {
      this.#ctx.log.warn({ err: error, connector: known.row.id }, 'a connector did not stop cleanly')
    }
  }

  /** Stores the state, notifies live viewers of the connector, and logs it if it is new. */
  #note(known: Known, state: ConnectorState, message: string): Promise<void> {
    if (known.state === state && known.message === message) return known.noted
    known.state = state
    known.message = message
    const connectorId = known.row.id
    const now = this.#ctx.clock.now()
    const level = state === 'error' ? 'error' : 'info'
    this.#tools.journal.logAlways(connectorId, { level, event: state, message })
    known.noted = known.noted.then(() => this.#write(known, state, message, now))
    const topic = `connector:${connectorId}` as const
    const timeMs = now.getTime()
    this.#ctx.live.publish(topic, { kind: 'connector', topic, connectorId, state, message, timeMs })
    return known.noted
  }

  /** Retries while the database is unavailable; otherwise the connector would show its old state forever. */
  async #write(known: Known, state: ConnectorState, message: string, at: Date): Promise<void> {
    const connectorId = known.row.id
    for (;;) {
      try {
        await this.#ctx.db.transaction().execute(async (tx) => {
          const accountId = await updateState(tx, connectorId, state, message, at)
          if (accountId === undefined || !isSettled(state)) return
          const changed = { connectorId, state, message, at: at.toISOString() }
          await this.#ctx.events.appendAll(tx, [connectorChanged.event(accountId, changed)])
        })
        return
      } catch (error) {
        this.#ctx.log.warn(
          { err: error, connector: connectorId },
          'the state of a connector could not be kept',
        )
        const isOld = known.state !== state || known.message !== message
        if (isOld || this.#stopping || !isPassing(error)) return
        await delay(keepAgainMs)
      }
    }
  }

  #inTurn(id: number, work: () => Promise<void>): Promise<void> {
    const before = this.#turns.get(id) ?? Promise.resolve()
    const turn = before.then(work)
    const settled = turn
      .catch((error: unknown) => {
        this.#ctx.log.error({ err: error, connector: id }, 'a change of a connector could not be applied')
      })
      .finally(() => {
        if (this.#turns.get(id) === settled) this.#turns.delete(id)
      })
    this.#turns.set(id, settled)
    return turn
  }
}

/** What a running connection depends on. */
function connectionOf({ kind, settings }: ConnectorRow): string {
  return JSON.stringify(Object.entries(settings).filter(([key]) => !isAppliedAtOnce(kind, key)))
}

/** Whether a state stays for a while; the others are steps on the way. */
function isSettled(state: ConnectorState): boolean {
  return state !== 'waiting' && state !== 'connecting'
}
