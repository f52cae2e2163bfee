/**
 * Plausible values for a point in time: stateless functions of time and a seed, so that history and live
 * values match. All of it is invented.
 */

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** A number between 0 and 1 that only depends on its arguments. */
export function chance(seed: number, moment: number): number {
  let h = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(moment | 0, 0xc2b2ae35)) >>> 0
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d) >>> 0
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39) >>> 0
  return ((h ^ (h >>> 15)) >>> 0) / 2 ** 32
}

/** Noise around 0 that changes smoothly over `periodMs`, between -1 and 1. */
export function drift(seed: number, at: number, periodMs: number): number {
  const step = Math.floor(at / periodMs)
  const share = at / periodMs - step
  const smooth = share * share * (3 - 2 * share)
  return (chance(seed, step) * (1 - smooth) + chance(seed, step + 1) * smooth) * 2 - 1
}

/** Hour of the day in Central Europe, with fractions. */
export function hourOf(at: number): number {
  const offset = new Date(at).getUTCMonth() >= 3 && new Date(at).getUTCMonth() <= 9 ? 2 : 1
  return (((at / hourMs + offset) % 24) + 24) % 24
}

export function isWeekend(at: number): boolean {
  const day = new Date(at + hourMs).getUTCDay()
  return day === 0 || day === 6
}

/** A bump of height 1 between two hours of the day with soft edges. */
export function between(at: number, fromHour: number, toHour: number): number {
  const hour = hourOf(at)
  const edge = 0.75
  return Math.max(0, Math.min(1, (hour - fromHour) / edge, (toHour - hour) / edge))
}

/** How many people are about, 0 to 1, in a place that is open on working days. */
export function presence(seed: number, at: number, fromHour: number, toHour: number): number {
  if (isWeekend(at)) return 0
  const lunch = between(at, 12, 13.25) * 0.55
  return Math.max(0, between(at, fromHour, toHour) * (0.85 + 0.3 * drift(seed, at, hourMs)) - lunch)
}

/** Outdoor temperature in °C: season, day, weather. */
export function outdoorTemperature(at: number): number {
  const day = (at / dayMs) % 365.25
  const season = 9.5 - 9.5 * Math.cos(((day - 20) / 365.25) * 2 * Math.PI)
  const daily = -3.2 * Math.cos(((hourOf(at) - 3) / 24) * 2 * Math.PI)
  return season + daily + 3 * drift(11, at, 3 * dayMs) + 0.4 * drift(12, at, 20 * 60_000)
}

/** Daylight from 0 to 1. */
export function daylight(at: number): number {
  const day = (at / dayMs) % 365.25
  const half = 6 - 2.2 * Math.cos(((day + 10) / 365.25) * 2 * Math.PI)
  const distance = Math.abs(hourOf(at) - 12.6)
  return (
    Math.max(0, Math.cos((Math.min(distance, half) / half) * (Math.PI / 2))) *
    (0.65 + 0.35 * drift(13, at, 2 * hourMs))
  )
}

/** Room temperature in °C: heated on working days. */
export function roomTemperature(seed: number, at: number, base: number): number {
  const heating = isWeekend(at) ? 0.2 : between(at, 5.5, 18)
  return (
    base -
    2.2 +
    2.4 * heating +
    0.7 * daylight(at) +
    0.5 * drift(seed, at, 4 * hourMs) +
    0.12 * drift(seed + 1, at, 60_000)
  )
}

export function roomHumidity(seed: number, at: number): number {
  return 44 + 6 * drift(seed, at, 8 * hourMs) + 2 * drift(seed + 1, at, hourMs)
}

/** CO₂ in ppm: rises with the people in the room, falls when a window is opened. */
export function roomCo2(seed: number, at: number, people: number, perPerson: number): number {
  const airing = chance(seed, Math.floor(at / (30 * 60_000))) < 0.25 ? 0.55 : 1
  return 425 + people * perPerson * airing + 25 * drift(seed, at, 10 * 60_000)
}

/** A meter that only counts up: `perDay` units a day, more of them by day than by night. */
export function meter(seed: number, at: number, start: number, perDay: number): number {
  const shifted = at + chance(seed, 3) * hourMs
  const day = Math.floor(shifted / dayMs)
  const share = (shifted - day * dayMs) / dayMs
  return start + perDay * (day - 20_000 + share - Math.sin(share * 2 * Math.PI) / (2 * Math.PI))
}

/** Whether a parking space is taken: long stays, fuller by day. */
export function parked(seed: number, at: number): boolean {
  const rush = isWeekend(at) ? 0.35 + 0.4 * between(at, 10, 18) : 0.2 + 0.65 * between(at, 7.5, 19)
  const stayMs = (20 + 50 * chance(seed, 7)) * 60_000
  return chance(seed, Math.floor(at / stayMs)) < rush
}
