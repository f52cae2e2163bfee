/**
 * How a monitor of the warn app judges a value. The server and the screen on the wall use the same functions, so that a list
 * and a monitor never say different things.
 */

/** From best to worst. A value that is missing or too old is `unknown`: that is worse than one that is nearly too high. */
export const warnLevels = ['good', 'okay', 'unknown', 'bad'] as const
export type WarnLevel = (typeof warnLevels)[number]

/** Ends of the ranges of a number line, in ascending order; null: there is no such range. */
export interface NumberLimits {
  kind: 'number'
  /** bad at this and below */
  badTo: number | null
  /** okay at this and below, down to `badTo` */
  okayTo: number | null
  /** okay at this and above, up to `badFrom` */
  okayFrom: number | null
  /** bad at this and above */
  badFrom: number | null
}

/** Values of texts, and `true` or `false`. What is not named is good. */
export interface ValueLimits {
  kind: 'values'
  bad: readonly string[]
  okay: readonly string[]
}
export type WarnLimits = NumberLimits | ValueLimits

/** Minutes without a new value after which a state is unknown, unless the monitor says otherwise. */
export const silentMinutesDefault = 60

const minuteMs = 60_000

/** A state of a monitor with its newest value. */
export interface Watched {
  limits: WarnLimits
  /** null: `silentMinutesDefault` */
  silentMinutes: number | null
  value: unknown
  /** ISO 8601; null: there is no value */
  time: string | null
}

/** Ends of the ranges from left to right, without those there are none of. */
export function endsOf({ badTo, okayTo, okayFrom, badFrom }: NumberLimits): number[] {
  return [badTo, okayTo, okayFrom, badFrom].filter((end) => end !== null)
}

/** Whether limits can tell values apart: numbers ascend, and no value is both bad and okay. */
export function isMeaningful(limits: WarnLimits): boolean {
  if (limits.kind === 'number') {
    const ends = endsOf(limits)
    return ends.length > 0 && ends.every((end, index) => index === 0 || (ends[index - 1] as number) < end)
  }
  const named = [...limits.bad, ...limits.okay].map(plain)
  return named.length > 0 && new Set(named).size === named.length
}

/** The level of a value that is new enough; `unknown` if it is not of the kind that the limits are for. */
export function levelOfValue(value: unknown, limits: WarnLimits): WarnLevel {
  if (limits.kind === 'number') return levelOfNumber(value, limits)
  if (typeof value !== 'string' && typeof value !== 'boolean') return 'unknown'
  const text = plain(String(value))
  if (limits.bad.some((each) => plain(each) === text)) return 'bad'
  return limits.okay.some((each) => plain(each) === text) ? 'okay' : 'good'
}

function levelOfNumber(value: unknown, { badTo, okayTo, okayFrom, badFrom }: NumberLimits): WarnLevel {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'unknown'
  if ((badTo !== null && value <= badTo) || (badFrom !== null && value >= badFrom)) return 'bad'
  if ((okayTo !== null && value <= okayTo) || (okayFrom !== null && value >= okayFrom)) return 'okay'
  return 'good'
}

/** People do not mean anything by capital letters and blanks around a word. */
const plain = (text: string): string => text.trim().toLowerCase()

/**
 * Whether a value says nothing about now. One from the future is as doubtful as an old one: a clock that is wrong must not
 * keep a monitor good.
 */
export function isOutdated(
  { silentMinutes, time }: Pick<Watched, 'silentMinutes' | 'time'>,
  nowMs: number,
): boolean {
  if (time === null) return true
  return Math.abs(nowMs - Date.parse(time)) > (silentMinutes ?? silentMinutesDefault) * minuteMs
}

/** The level of a state of a monitor. @param nowMs time of the server */
export function levelOf(watched: Watched, nowMs: number): WarnLevel {
  return isOutdated(watched, nowMs) ? 'unknown' : levelOfValue(watched.value, watched.limits)
}

/** The worst of some levels; `unknown` when there are none. */
export function worstLevel(levels: readonly WarnLevel[]): WarnLevel {
  if (levels.length === 0) return 'unknown'
  return levels.reduce((worst, level) => (rank(level) > rank(worst) ? level : worst))
}

/** The level of a monitor. @param nowMs time of the server */
export function levelOfAll(watched: readonly Watched[], nowMs: number): WarnLevel {
  return worstLevel(watched.map((each) => levelOf(each, nowMs)))
}

const rank = (level: WarnLevel): number => warnLevels.indexOf(level)
