import type { HealthEnd } from '@leitstand/contract/health'
import { faultEntries, type HealthEntryInfo, type HealthPlan } from '../drivers/index.ts'

/** An open period of an entry that counts. */
export interface OpenPeriod extends HealthEntryInfo {
  since: Date
}

/** The health state of a device. */
export interface HealthState {
  /** time of the newest evaluated packet; null: the health is unknown */
  evaluatedAt: Date | null
  /** key of the configuration used for the evaluation */
  config: string | null
  /** entries that are true, including ignored ones */
  active: ReadonlySet<string>
  /** time by which the clock must evaluate the device */
  due: Date | null
  /** entries that count: true and not ignored */
  open: ReadonlyMap<string, OpenPeriod>
}

/** Findings from a packet. */
export interface Finding {
  /** time of measurement, but not after reception */
  time: Date
  receivedAt: Date
  on: readonly string[]
  off: readonly string[]
  /** times of variables that must not become too old, by the identifier of their entry */
  agingFrom: ReadonlyMap<string, Date>
}

/** A change of health; changes are in time order. */
export interface HealthChange {
  /** null: the device itself became known (3 → 0) or unknown (0 → 3) */
  entry: string | null
  /** level of the entry: 0 does not count, 1 warning, 2 error, 4 invalid */
  from: number
  to: number
  /** health of the device afterwards */
  health: number
  at: Date
  info: HealthEntryInfo | null
  /** start of the period that ends */
  since: Date | null
  end: HealthEnd | null
}

export interface Step {
  state: HealthState
  changes: HealthChange[]
  /** the configuration differs from the last evaluation: re-evaluate from known values */
  outdated: boolean
}

const levels = { warning: 1, error: 2, invalid: 4 } as const
/** By severity. Errors and warnings are certain, so they rank above invalid. */
const worst = ['error', 'warning', 'invalid'] as const

/** Health code of a device: the most severe entry that counts; 3 before the first evaluation. */
export function healthOf({ evaluatedAt, open }: Pick<HealthState, 'evaluatedAt' | 'open'>): number {
  for (const type of worst) for (const period of open.values()) if (period.type === type) return levels[type]
  return evaluatedAt === null ? 3 : 0
}

/** Moves from state to state and records the changes. */
class Walk {
  readonly changes: HealthChange[] = []
  #evaluatedAt: Date | null
  #active: ReadonlySet<string>
  readonly #open: Map<string, OpenPeriod>
  readonly #plan: HealthPlan | null
  readonly #ignored: ReadonlySet<string>

  constructor(state: HealthState, plan: HealthPlan | null, ignored: ReadonlySet<string>) {
    this.#evaluatedAt = state.evaluatedAt
    this.#active = state.active
    this.#open = new Map(state.open)
    this.#plan = plan
    this.#ignored = ignored
  }

  get active(): ReadonlySet<string> {
    return this.#active
  }

  get evaluatedAt(): Date | null {
    return this.#evaluatedAt
  }

  /** Whether an entry exists, in the configuration or for all devices. */
  has(identifier: string): boolean {
    return this.#infoOf(identifier) !== undefined
  }

  evaluated(evaluatedAt: Date | null, at: Date): void {
    const before = healthOf({ evaluatedAt: this.#evaluatedAt, open: noPeriods })
    const after = healthOf({ evaluatedAt, open: noPeriods })
    this.#evaluatedAt = evaluatedAt
    if (before !== after)
      this.#note({ entry: null, from: before, to: after, at, info: null, since: null, end: null })
  }

  /** Sets the entries that are true now. @param endOf why an entry no longer counts */
  move(active: ReadonlySet<string>, at: Date, endOf: (entry: string) => HealthEnd = () => 'over'): void {
    this.#active = active
    for (const [entry, { since, ...info }] of [...this.#open]) {
      const same = info.type === this.#infoOf(entry)?.type
      if (this.#counts(entry) && same) continue
      this.#open.delete(entry)
      const end = this.#counts(entry) ? 'configuration' : endOf(entry)
      this.#note({ entry, from: levels[info.type], to: 0, at: later(since, at), info, since, end })
    }
    for (const entry of active) {
      const info = this.#infoOf(entry)
      if (info === undefined || this.#open.has(entry) || !this.#counts(entry)) continue
      this.#open.set(entry, { ...info, since: at })
      this.#note({ entry, from: 0, to: levels[info.type], at, info, since: null, end: null })
    }
  }

  state(due: Date | null): HealthState {
    const config = this.#plan?.key ?? null
    return { evaluatedAt: this.#evaluatedAt, config, active: this.#active, due, open: this.#open }
  }

  #counts(entry: string): boolean {
    return this.#active.has(entry) && !this.#ignored.has(entry)
  }

  #infoOf(entry: string): HealthEntryInfo | undefined {
    const isFault = entry === faultEntries.decode || entry === faultEntries.expression
    return isFault ? { category: null, type: 'invalid', description: '' } : this.#plan?.entries.get(entry)
  }

  #note(change: Omit<HealthChange, 'health'>): void {
    const health = healthOf({ evaluatedAt: this.#evaluatedAt, open: this.#open })
    this.changes.push({ ...change, health })
  }
}

const noPeriods: ReadonlyMap<string, OpenPeriod> = new Map()
const later = (a: Date, b: Date): Date => (a > b ? a : b)
const earliest = (times: readonly (Date | null)[]): Date | null =>
  times.reduce((first, time) => (first === null || (time !== null && time < first) ? time : first), null)
const after = (time: Date, ms: number): Date => new Date(time.getTime() + ms)

/**
 * Applies packets. Late ones only count as a sign of life, because measurements older than the last
 * evaluation do not describe the present.
 * @param findings in any order
 */
export function followPackets(
  state: HealthState,
  findings: readonly Finding[],
  plan: HealthPlan | null,
  ignored: ReadonlySet<string>,
  now: Date,
): Step {
  const walk = new Walk(state, plan, ignored)
  const outdated = state.evaluatedAt !== null && state.config !== (plan?.key ?? null)
  if (outdated)
    walk.move(
      only(state.active, (entry) => walk.has(entry)),
      now,
      () => 'configuration',
    )
  const dues: (Date | null)[] = [state.due]
  for (const finding of findings.toSorted((a, b) => a.time.getTime() - b.time.getTime())) {
    const isLate = walk.evaluatedAt !== null && finding.time < walk.evaluatedAt
    if (!isLate) {
      walk.evaluated(finding.time, finding.time)
      walk.move(said(walk.active, finding), finding.time)
    }
    const heard = new Set(walk.active)
    for (const { identifier, at } of agesOf(finding, plan, isLate)) {
      if (at > now) heard.delete(identifier)
      dues.push(at)
    }
    walk.move(heard, finding.receivedAt)
  }
  return { state: walk.state(earliest(dues)), changes: walk.changes, outdated }
}

function said(active: ReadonlySet<string>, { on, off }: Finding): Set<string> {
  const entries = new Set(active)
  for (const entry of off) entries.delete(entry)
  for (const entry of on) entries.add(entry)
  return entries
}

/** When entries become too old, counted from a packet; late packets still count as received. */
function agesOf({ receivedAt, agingFrom }: Finding, plan: HealthPlan | null, isLate: boolean) {
  const silences = (plan?.silences ?? []).map((each) => ({ ...each, from: receivedAt }))
  const agings = (isLate ? [] : (plan?.agings ?? [])).flatMap((each) => {
    const from = agingFrom.get(each.identifier)
    return from === undefined ? [] : [{ ...each, from }]
  })
  return [...silences, ...agings].map(({ identifier, durationMs, from }) => ({
    identifier,
    at: after(from, durationMs),
  }))
}

/** Last times used to find entries that are too old. */
export interface LastTimes {
  /** of the last packet */
  seen: Date | null
  /** of the last value, by variable */
  values: ReadonlyMap<string, Date>
}

/** Applies the time: entries that have become too old. */
export function followClock(
  state: HealthState,
  plan: HealthPlan | null,
  ignored: ReadonlySet<string>,
  last: LastTimes,
  now: Date,
): Step {
  const walk = new Walk(state, plan, ignored)
  const outdated = state.config !== (plan?.key ?? null)
  const { ends, due } = outdated || state.evaluatedAt === null ? nothingToCome : ageing(plan, last, now)
  const active = new Set(state.active)
  for (const { identifier, at } of ends) {
    if (active.has(identifier)) continue
    active.add(identifier)
    walk.move(new Set(active), at)
  }
  return { state: { ...walk.state(due), config: state.config }, changes: walk.changes, outdated }
}

const nothingToCome = { ends: [] as { identifier: string; at: Date }[], due: null }

/** Entries that are too old, in the order in which they became so, and the time of the next one. */
function ageing(plan: HealthPlan | null, last: LastTimes, now: Date) {
  const all = [
    ...(plan?.silences ?? []).map((each) => ({ ...each, from: last.seen })),
    ...(plan?.agings ?? []).map((each) => ({ ...each, from: last.values.get(each.variable) ?? null })),
  ].flatMap(({ identifier, durationMs, from }) =>
    from === null ? [] : [{ identifier, at: after(from, durationMs) }],
  )
  return {
    ends: all.filter(({ at }) => at <= now).sort((a, b) => a.at.getTime() - b.at.getTime()),
    due: earliest(all.flatMap(({ at }) => (at > now ? [at] : []))),
  }
}

/** Findings from the last values of a device. */
export interface Known extends LastTimes {
  on: readonly string[]
  off: readonly string[]
}

/**
 * Re-evaluates the health from known values after a change of the configuration, when the device was disabled
 * or enabled, or on request. A device that is disabled, or has not sent since it was enabled, is unknown.
 */
export function recompute(
  state: HealthState,
  plan: HealthPlan | null,
  ignored: ReadonlySet<string>,
  { known, disabled, now }: { known: Known; disabled: boolean; now: Date },
): Step {
  const walk = new Walk(state, plan, ignored)
  if (disabled || state.evaluatedAt === null) {
    walk.evaluated(null, now)
    walk.move(new Set(), now, () => (disabled ? 'disabled' : 'configuration'))
    return { state: walk.state(null), changes: walk.changes, outdated: false }
  }
  const isSame = state.config === (plan?.key ?? null)
  const { ends, due } = ageing(plan, known, now)
  const keeps = (entry: string) =>
    entry === faultEntries.decode || (isSame && !known.off.includes(entry) && !isAgeing(plan, entry))
  const active = only(state.active, keeps)
  for (const entry of known.on) active.add(entry)
  for (const { identifier } of ends) active.add(identifier)
  walk.move(active, now, (entry) => (walk.has(entry) ? 'over' : 'configuration'))
  return { state: walk.state(due), changes: walk.changes, outdated: false }
}

const isAgeing = (plan: HealthPlan | null, entry: string): boolean =>
  [...(plan?.silences ?? []), ...(plan?.agings ?? [])].some(({ identifier }) => identifier === entry)

/** Applies a change of ignored entries. @param ignored the new set */
export function followIgnoring(
  state: HealthState,
  plan: HealthPlan | null,
  ignored: ReadonlySet<string>,
  now: Date,
): Step {
  const walk = new Walk(state, plan, ignored)
  walk.move(state.active, now, () => 'ignored')
  return { state: { ...walk.state(state.due), config: state.config }, changes: walk.changes, outdated: false }
}

const only = (entries: ReadonlySet<string>, keep: (entry: string) => boolean): Set<string> =>
  new Set([...entries].filter(keep))
