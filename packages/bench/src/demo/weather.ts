import { chance, dayMs, drift, hourMs, localOf, minuteMs } from './clock.ts'

/** The weather over the demo city. */

const showerMs = 3 * hourMs

/** Millimetres that fall in a slot of three hours; rainy and dry periods last for days. */
function shower(slot: number): number {
  const isWet = drift(41, slot * showerMs, 2 * dayMs) > 0.1
  const luck = chance(42, slot)
  return luck < (isWet ? 0.22 : 0.015) ? 0.6 + 7 * chance(43, slot) ** 2 : 0
}

/** Rain in mm per hour; a shower swells and ends. */
export function rain(at: number): number {
  const slot = Math.floor(at / showerMs)
  const share = at / showerMs - slot
  return shower(slot) * (Math.PI / 6) * Math.sin(share * Math.PI)
}

/** What is left of the rain of the last days in mm, if it runs off or dries within `memoryMs`. */
export function wetness(at: number, memoryMs: number): number {
  const slot = Math.floor(at / showerMs)
  const past = Math.ceil((5 * memoryMs) / showerMs)
  let sum = 0
  for (let each = slot - past; each <= slot; each++) {
    const amount = shower(each)
    if (amount === 0) continue
    const share = Math.min(1, at / showerMs - each)
    const fallen = (amount * (1 - Math.cos(share * Math.PI))) / 2
    sum += fallen * Math.exp(-Math.max(0, at - (each + 1) * showerMs) / memoryMs)
  }
  return sum
}

/** 0 clear to 1 overcast. */
function clouds(at: number): number {
  const shade = 0.45 + 0.45 * drift(13, at, 8 * hourMs) + 0.3 * drift(41, at, 2 * dayMs)
  return Math.max(0, Math.min(1, shade))
}

const yearShare = (at: number) => ((at / dayMs) % 365.25) / 365.25

/** Outdoor temperature in °C: season, day (coldest before sunrise), weather. */
export function outdoorTemperature(at: number): number {
  const season = 9.8 - 9.3 * Math.cos((yearShare(at) - 0.055) * 2 * Math.PI)
  const swing = 1.4 + 3.8 * (1 - clouds(at)) * (0.4 + 0.6 * summer(at))
  const daily = -swing * Math.cos(((localOf(at).hour - 3.5) / 24) * 2 * Math.PI)
  const shower = Math.min(2, 0.8 * wetness(at, hourMs))
  return season + daily + 3 * drift(11, at, 3 * dayMs) - shower + 0.15 * drift(12, at, 20 * minuteMs)
}

/** 0 at midwinter, 1 at midsummer. */
export const summer = (at: number): number => 0.5 - 0.5 * Math.cos((yearShare(at) + 0.027) * 2 * Math.PI)

/** Daylight from 0 to 1; the days are longer in summer. */
export function daylight(at: number): number {
  const half = 4 + 4.3 * summer(at)
  const noon = localOf(at).hour - (summer(at) > 0.4 ? 13.3 : 12.3)
  if (Math.abs(noon) >= half) return 0
  return Math.cos((noon / half) * (Math.PI / 2)) * (1 - 0.75 * clouds(at)) * (0.45 + 0.55 * summer(at))
}

/** Relative humidity in %: high at night and in the rain. */
export function outdoorHumidity(at: number): number {
  const daily = 11 * Math.cos(((localOf(at).hour - 4) / 24) * 2 * Math.PI) * (0.4 + 0.6 * summer(at))
  const wet = Math.min(14, 6 * wetness(at, 2 * hourMs))
  return Math.min(100, 76 - 10 * summer(at) + daily + wet + 5 * drift(14, at, 5 * hourMs))
}

/** Pressure in hPa: low in wet periods. */
export const pressure = (at: number): number =>
  1015 - 9 * drift(41, at, 2 * dayMs) + 4 * drift(15, at, 20 * hourMs)

/** Wind in m/s: more by day and in wet periods. */
export function wind(at: number): number {
  const day = 0.9 * Math.max(0, Math.sin(((localOf(at).hour - 7) / 24) * 2 * Math.PI))
  const front = 1.3 * Math.max(0, drift(41, at, 2 * dayMs))
  return Math.max(
    0.2,
    1.9 + day + front + 0.8 * drift(16, at, 3 * hourMs) + 0.25 * drift(17, at, 7 * minuteMs),
  )
}
