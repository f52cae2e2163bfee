import { type TraceStep, traceLimits } from '@leitstand/contract/traces'

/** The steps of a trace while they are found, within its limits. */
export class Chain {
  readonly #steps = new Map<string, TraceStep>()
  readonly #counts = new Map<string | null, number>()
  readonly #more = new Map<string, number>()
  readonly #hidden = new Map<string, number>()
  #cut = false

  has(key: string): boolean {
    return this.#steps.has(key)
  }

  /**
   * Adds a step once.
   * @param isWanted also beyond the limits: it leads to what was asked about
   * @returns whether it is new
   */
  add(step: TraceStep, isWanted = false): boolean {
    if (this.#steps.has(step.key)) return false
    const count = this.#counts.get(step.after) ?? 0
    if (!isWanted && (count >= traceLimits.perStepMax || this.#steps.size >= traceLimits.stepsMax)) {
      this.#cut = true
      if (step.after !== null) this.#more.set(step.after, (this.#more.get(step.after) ?? 0) + 1)
      return false
    }
    this.#counts.set(step.after, count + 1)
    this.#steps.set(step.key, step)
    return true
  }

  /** Counts a step after another that the caller may not see. */
  hide(after: string): void {
    this.#hidden.set(after, (this.#hidden.get(after) ?? 0) + 1)
  }

  /** Notes that there is more than is looked at. */
  cutHere(): void {
    this.#cut = true
  }

  /** The steps in order, with what was left out, and whether that is more than hidden steps. */
  result(): { steps: TraceStep[]; cut: boolean } {
    const count = (kind: 'more' | 'hidden', counts: ReadonlyMap<string, number>) =>
      [...counts].map(
        ([after, number]): TraceStep => ({
          kind,
          key: `${kind}:${after}`,
          after,
          at: null,
          lagMs: null,
          known: 'recorded',
          isAsked: false,
          count: number,
        }),
      )
    const left = [...count('hidden', this.#hidden), ...count('more', this.#more)]
    return { steps: inOrder([...this.#steps.values(), ...left]), cut: this.#cut }
  }
}

/** Each step directly after what it follows from and what follows from its elder siblings. */
export function inOrder(steps: readonly TraceStep[]): TraceStep[] {
  const children = Map.groupBy(steps, ({ after }) => after)
  const ordered: TraceStep[] = []
  const waiting = [...(children.get(null) ?? [])].reverse()
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    ordered.push(step)
    waiting.push(...[...(children.get(step.key) ?? [])].reverse())
  }
  return ordered
}

/** Signal of the gateway that received a packet best. */
export function receptionOf(meta: unknown): { rssi: number | null; snr: number | null } {
  const found = signals(meta, 4)
  const [best] = found.sort((a, b) => (b.rssi ?? -1000) - (a.rssi ?? -1000))
  return best ?? { rssi: null, snr: null }
}

/** Presets and templates put signals beside each other or in lists of gateways: look at few levels for these names. */
function signals(value: unknown, depth: number): { rssi: number | null; snr: number | null }[] {
  if (depth === 0 || typeof value !== 'object' || value === null) return []
  const named = value as Record<string, unknown>
  const number = (found: unknown) => (typeof found === 'number' && Number.isFinite(found) ? found : null)
  const rssi = number(named.rssi)
  const own = rssi === null ? [] : [{ rssi, snr: number(named.snr) ?? number(named.lsnr) }]
  const parts = Object.values(named).slice(0, 50)
  return [...own, ...parts.flatMap((part) => signals(part, depth - 1))].slice(0, 100)
}

/** A value, as far as evaluations record what woke them. */
interface Waking {
  stateId: number
  time: Date
  /** not stored before */
  since: Date
}

interface Woken {
  at: Date
  woken: { values: readonly (readonly [number, number])[] } | null
}

/** How it is known that a value woke an evaluation; null: it did not. */
export function wokenBy({ woken, at }: Woken, { stateId, time, since }: Waking): 'recorded' | 'soon' | null {
  if (woken === null) {
    const lagMs = at.getTime() - since.getTime()
    return lagMs >= -soonMs && lagMs <= soonMs ? 'soon' : null
  }
  const ms = time.getTime()
  return woken.values.some(([id, at]) => id === stateId && at === ms) ? 'recorded' : null
}

/** An evaluation of an older version, which does not say what woke it, is one of a value stored within this time. */
const soonMs = 5_000
