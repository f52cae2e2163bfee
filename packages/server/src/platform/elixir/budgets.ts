import { type Bucket, fullBucket, type Rate, refilled, spent, waitMs } from '../tokenBucket.ts'

export interface BudgetLimits {
  cpu: Rate
  crashes: Rate
  accountsMax: number
  /**
   * deaths of a parser's process after which it is suspended, for how long, and how many parsers are tracked
   */
  crashesMax: number
  quarantineMs: number
  crashedMax: number
}

interface Use {
  cpu: Bucket
  crashes: Bucket
}

/** Part of its burst of CPU time that an account may use without being held to be heavy. */
const heavyShare = 0.05

/** Tracks the CPU time accounts have used and the processes they have crashed. */
export class Budgets {
  readonly #limits: BudgetLimits
  /** the least recently used first */
  readonly #used = new Map<string, Use>()
  /** by account and parser */
  readonly #crashed = new Map<string, { count: number; untilMs: number }>()

  constructor(limits: BudgetLimits) {
    this.#limits = limits
  }

  /** Milliseconds until the account may run anything again; 0 when it may now. */
  restMs(key: string, nowMs: number): number {
    const used = this.#used.get(key)
    if (used === undefined) return 0
    const { cpu, crashes } = this.#limits
    return Math.max(waitMs(used.cpu, cpu, nowMs), waitMs(used.crashes, crashes, nowMs))
  }

  /** Whether the account has used much CPU time recently, though not all it may. */
  isHeavy(key: string, nowMs: number): boolean {
    const used = this.#used.get(key)
    const { cpu } = this.#limits
    return used !== undefined && refilled(used.cpu, cpu, nowMs).tokens < cpu.burst * (1 - heavyShare)
  }

  spend(key: string, cpuMs: number, nowMs: number): void {
    const used = this.#of(key, nowMs)
    this.#keep(key, { ...used, cpu: spent(used.cpu, cpuMs, this.#limits.cpu, nowMs) })
  }

  /** Whether one parser of the account is suspended. */
  isResting(key: string, parser: string, nowMs: number): boolean {
    const crashed = this.#crashed.get(`${key} ${parser}`)
    return crashed !== undefined && crashed.count >= this.#limits.crashesMax && nowMs < crashed.untilMs
  }

  /** A parser crashed its process with a single input. */
  blame(key: string, parser: string, nowMs: number): void {
    const id = `${key} ${parser}`
    const count = (this.#crashed.get(id)?.count ?? 0) + 1
    this.#crashed.delete(id)
    this.#crashed.set(id, { count, untilMs: nowMs + this.#limits.quarantineMs })
    const [oldest] = this.#crashed.keys()
    if (this.#crashed.size > this.#limits.crashedMax && oldest !== undefined) this.#crashed.delete(oldest)
  }

  /** The parser returned a result: its crashes are forgotten. */
  clear(key: string, parser: string): void {
    this.#crashed.delete(`${key} ${parser}`)
  }

  /** A process of the account died while working. */
  crashed(key: string, nowMs: number): void {
    const used = this.#of(key, nowMs)
    this.#keep(key, { ...used, crashes: spent(used.crashes, 1, this.#limits.crashes, nowMs) })
  }

  #of(key: string, nowMs: number): Use {
    const { cpu, crashes } = this.#limits
    return this.#used.get(key) ?? { cpu: fullBucket(cpu, nowMs), crashes: fullBucket(crashes, nowMs) }
  }

  #keep(key: string, use: Use): void {
    this.#used.delete(key)
    this.#used.set(key, use)
    const [oldest] = this.#used.keys()
    if (this.#used.size > this.#limits.accountsMax && oldest !== undefined) this.#used.delete(oldest)
  }
}
