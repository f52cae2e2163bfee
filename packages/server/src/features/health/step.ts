import type { HealthEnd } from '@leitstand/contract/health'
import { faultEntries, type HealthEntryInfo, type HealthPlan } from '../drivers/index.ts'

/** A period of an entry that counts. */
export interface OpenPeriod extends HealthEntryInfo {
  since: Date
}

/** What is known about the health of a device. */
export interface HealthState {
  /** time of the newest packet looked at; null: the health is not known */
  evaluatedAt: Date | null
  /** key of the configuration the rest was made with */
  config: string | null
  /** entries that hold, ignored ones too */
  active: ReadonlySet<string>
  /** when the clock has to look, or earlier */
  due: Date | null
  /** entries that count: those that hold and are not ignored */
  open: ReadonlyMap<string, OpenPeriod>
}

/** What a packet says. */
export interface Finding {
  /** when it was measured, not later than it was received */
  time: Date
  receivedAt: Date
  on: readonly string[]
  off: readonly string[]
  /** times of variables that must not get too old, by the identifier of the entry that looks at them */
  agingFrom: ReadonlyMap<string, Date>
}

/** Something that changed, in the order in which it did. */
export interface HealthChange {
  /** null: the device itself, which became known (3 → 0) or unknown (0 → 3) */
  entry: string | null
  /** level of the entry: 0 does not count, 1 warning, 2 error, 4 invalid */
  from: number
  to: number
  /** health of the device afterwards */
  health: number
  at: Date
  info: HealthEntryInfo | null
  /** of the period that ends */
  since: Date | null
  end: HealthEnd | null
}

export interface Step {
  state: HealthState
  changes: HealthChange[]
  /** it was made with another configuration than the last time: to be made anew from what is known */
  outdated: boolean
}

const levels = { warning: 1, error: 2, invalid: 4 } as const
/** An error weighs more than a warning; both are known, so more than what cannot be told. */
const worst = ['error', 'warning', 'invalid'] as const

/** Health code of a device: the worst of what counts; 3 as long as nothing was looked at. */
export function healthOf({ evaluatedAt, open }: Pick<HealthState, 'evaluatedAt' | 'open'>): number {
  for (const type of worst) for (const period of open.values()) if (period.type === type) return levels[type]
  return evaluatedAt === null ? 3 : 0
}

/** Moves from one state to the next and keeps account of what changes. */
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

  /** Whether the configuration, or every device, has an entry. */
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

  /** These hold now. @param endOf why an entry that counted does not any more */
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
 * What packets change. Late ones change nothing but that the device was heard: what it measured before what was looked
 * at last says nothing about now.
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

/** When entries get too old again, counted from a packet; one that is late was received nevertheless. */
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

/** Last times by which something may be too old. */
export interface LastTimes {
  /** of the last packet */
  seen: Date | null
  /** of the last value, by variable */
  values: ReadonlyMap<string, Date>
}

/** What the clock changes: entries that have got too old until now. */
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

/** What is too old now, in the order in which it got so, and when the next gets so. */
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

/** What the last values of a device say. */
export interface Known extends LastTimes {
  on: readonly string[]
  off: readonly string[]
}

/**
 * Makes the health anew from what is known: the configuration has changed, the device was disabled or enabled, or
 * somebody asked. A device that is disabled, or has not sent since it was enabled, is unknown.
 */
export function makeAnew(
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

/** What ignoring, or no longer ignoring, changes. @param ignored as it is from now on */
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
