/** Local time of the demo city, and numbers that only depend on their arguments. All of it is pure. */

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** A moment in Central Europe. */
export interface Local {
  /** days since 1970 */
  day: number
  /** 0 Monday … 6 Sunday */
  weekday: number
  /** hour of the day with fractions */
  hour: number
}

export function localOf(at: number): Local {
  const local = at + (isSummerTime(at) ? 2 : 1) * hourMs
  const day = Math.floor(local / dayMs)
  // Day 0 was a Thursday.
  return { day, weekday: (((day + 3) % 7) + 7) % 7, hour: (local - day * dayMs) / hourMs }
}

/** From the last Sunday of March to the last Sunday of October, each at 1 o'clock UTC. */
function isSummerTime(at: number): boolean {
  const year = new Date(at).getUTCFullYear()
  let period = summerTimes.get(year)
  if (period === undefined) {
    period = [lastSunday(year, 2), lastSunday(year, 9)]
    summerTimes.set(year, period)
  }
  return at >= period[0] && at < period[1]
}

/** start and end by year; curves ask for thousands of moments */
const summerTimes = new Map<number, [from: number, to: number]>()

function lastSunday(year: number, month: number): number {
  const last = new Date(Date.UTC(year, month + 1, 0, 1))
  return last.getTime() - last.getUTCDay() * dayMs
}

export const isWeekend = ({ weekday }: Local): boolean => weekday >= 5

/** A number between 0 and 1. */
export function chance(seed: number, moment: number): number {
  let h = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(moment | 0, 0xc2b2ae35)) >>> 0
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d) >>> 0
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39) >>> 0
  return ((h ^ (h >>> 15)) >>> 0) / 2 ** 32
}

/** Noise around 0 that changes smoothly over `periodMs`, between -1 and 1. */
export function drift(seed: number, at: number, periodMs: number): number {
  const step = Math.floor(at / periodMs)
  const smooth = smoothstep(at / periodMs - step)
  return (chance(seed, step) * (1 - smooth) + chance(seed, step + 1) * smooth) * 2 - 1
}

const smoothstep = (share: number) => share * share * (3 - 2 * share)

/** 1 between two hours of the day, 0 outside, with soft edges of `edge` hours inside. */
export function between(hour: number, from: number, to: number, edge = 1): number {
  const share = Math.min((hour - from) / edge, (to - hour) / edge)
  return smoothstep(Math.max(0, Math.min(1, share)))
}

/** A peak of height 1 at an hour of the day, about twice `width` hours wide. */
export const peak = (hour: number, at: number, width: number): number =>
  Math.exp(-(((hour - at) / width) ** 2))

/** Where something moves at a moment, and how fast (`rate` per hour). */
export type Pull = (at: number) => { target: number; rate: number }

/**
 * A value that follows a target with a delay, such as the air of a room: exact for a pull that is constant for
 * `stepMs`. It begins `backMs` ago, so far that the beginning no longer matters.
 */
export function follow(
  at: number,
  { backMs, stepMs, start }: { backMs: number; stepMs: number; start: number },
  pull: Pull,
): number {
  let value = start
  for (let from = Math.floor((at - backMs) / stepMs) * stepMs; from < at; from += stepMs) {
    const { target, rate } = pull(from)
    const hours = (Math.min(at, from + stepMs) - from) / hourMs
    value = target + (value - target) * Math.exp(-rate * hours)
  }
  return value
}
