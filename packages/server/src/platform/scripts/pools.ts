/**
 * Pools of sandbox processes that separate live traffic from trial runs, and, if the operator configures it,
 * every account from all others.
 */

import { breakAfter } from '../breaks.ts'
import type { Priority } from '../priority.ts'
import type { Isolation } from './isolation.ts'
import { type SandboxEvents, SandboxProcess } from './process.ts'
import { LIMITS } from './types.ts'

const RESPAWN_MS_MAX = 5_000

/** Interchangeable processes. */
export class Pool {
  readonly name: string
  readonly processes = new Set<SandboxProcess>()
  usedAt = performance.now()
  /** takes no more calls because another pool needs its place */
  draining = false
  /** its scripts come last: one call at a time, with a break after each */
  private readonly isLast: boolean
  private breakUntil = 0
  private failedStarts = 0
  private closed = false
  private readonly respawns = new Set<NodeJS.Timeout>()
  private readonly start: () => SandboxProcess

  constructor(name: string, size: number, start: () => SandboxProcess) {
    this.name = name
    this.isLast = priorityOf(name) === 'last'
    this.start = start
    for (let i = 0; i < size; i++) this.processes.add(start())
  }

  /** The processes that may take a call now. */
  ready(now: number): SandboxProcess[] {
    if (this.draining || (this.isLast && (now < this.breakUntil || !this.isIdle))) return []
    return [...this.processes].filter((process) => process.ready)
  }

  /**
   * A call has ended that was sent this long ago.
   * @returns how long the pool takes a break, in milliseconds; 0: none
   */
  ended(tookMs: number, now: number): number {
    if (!this.isLast) return 0
    const breakMs = breakAfter(tookMs)
    this.breakUntil = now + breakMs
    return breakMs
  }

  get isIdle(): boolean {
    return [...this.processes].every((process) => process.calls.size === 0)
  }

  started(): void {
    this.failedStarts = 0
  }

  /** Replaces a process that has died. */
  replace(process: SandboxProcess): void {
    this.processes.delete(process)
    if (this.closed) return
    if (!process.ready) this.failedStarts++
    const delay = process.ready ? 0 : Math.min(100 * 2 ** this.failedStarts, RESPAWN_MS_MAX)
    const timer = setTimeout(() => {
      this.respawns.delete(timer)
      this.processes.add(this.start())
    }, delay)
    this.respawns.add(timer)
  }

  async close(): Promise<void> {
    this.closed = true
    for (const timer of this.respawns) clearTimeout(timer)
    await Promise.all([...this.processes].map((process) => process.stop()))
  }
}

interface PoolsOptions {
  readonly isolation: Isolation
  readonly events: SandboxEvents
  /** processes of the permanent pool */
  readonly workers: number
  /** pools besides the permanent one */
  readonly poolsMax: number
  /** called when there is room for another pool again */
  onRoom(): void
}

/** The pool of live traffic, where accounts share their processes. */
export const LIVE = 'live'

/** The pool beside a live one, for trial runs and for scripts that may have crashed a process. */
export function besideOf(name: string): string {
  return `${name} apart`
}

/** The pool for scripts of accounts that would delay those of others. */
export function lastOf(name: string): string {
  return `${name} last`
}

function priorityOf(name: string): Priority {
  if (name.endsWith(' last')) return 'last'
  return name.endsWith(' apart') ? 'aside' : 'usual'
}

/** All pools: the permanent one, and those that are started on demand. */
export class Pools {
  private readonly pools = new Map<string, Pool>()
  /** Pools that are shutting down. */
  private readonly closing = new Set<Promise<void>>()
  private readonly options: PoolsOptions

  constructor(options: PoolsOptions) {
    this.options = options
    this.open(LIVE, options.workers)
  }

  private open(name: string, size: number): Pool {
    const pool: Pool = new Pool(name, size, () => {
      const { events, isolation } = this.options
      const own: SandboxEvents = {
        ...events,
        onReady: (process) => {
          pool.started()
          events.onReady(process)
        },
        onDeath: (process, reason, mark) => {
          pool.replace(process)
          events.onDeath(process, reason, mark)
        },
      }
      return new SandboxProcess(isolation, own, priorityOf(name))
    })
    this.pools.set(name, pool)
    return pool
  }

  /** A pool, started on demand; undefined while there is no room for it. */
  get(name: string): Pool | undefined {
    const known = this.pools.get(name)
    if (known !== undefined) {
      if (known.draining) return undefined
      known.usedAt = performance.now()
      return known
    }
    if (this.pools.size + this.closing.size > this.options.poolsMax) {
      this.makeRoom()
      if (this.pools.size + this.closing.size > this.options.poolsMax) return undefined
    }
    return this.open(name, 1)
  }

  /** A call of a pool has ended that was sent this long ago. */
  ended(name: string, tookMs: number, now: number): void {
    const breakMs = this.pools.get(name)?.ended(tookMs, now) ?? 0
    if (breakMs > 0) setTimeout(this.options.onRoom, breakMs).unref()
  }

  /** Ends the pool that has been idle longest; if all are busy, the oldest one takes no more calls. */
  private makeRoom(): void {
    const others = [...this.pools.values()].filter(({ name }) => name !== LIVE)
    const idle = others.filter((pool) => pool.isIdle).sort((a, b) => a.usedAt - b.usedAt)[0]
    if (idle !== undefined) this.end(idle)
    else if (this.closing.size === 0 && !others.some(({ draining }) => draining)) {
      const [oldest] = others
      if (oldest !== undefined) oldest.draining = true
    }
  }

  private end(pool: Pool): void {
    this.pools.delete(pool.name)
    const closed = pool.close().then(() => {
      this.closing.delete(closed)
      this.options.onRoom()
    })
    this.closing.add(closed)
  }

  /** Ends pools that have been idle for long, and those whose place is needed. */
  tidy(now: number): void {
    for (const pool of [...this.pools.values()]) {
      if (pool.name === LIVE || !pool.isIdle) continue
      if (pool.draining || now - pool.usedAt > LIMITS.poolIdleMs) this.end(pool)
    }
  }

  /** Those of the permanent pool first. */
  get processes(): SandboxProcess[] {
    return [...this.pools.values()].flatMap((pool) => [...pool.processes])
  }

  async close(): Promise<void> {
    await Promise.all([...[...this.pools.values()].map((pool) => pool.close()), ...this.closing])
  }
}
