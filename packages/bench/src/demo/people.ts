import { between, chance, drift, hourMs, isWeekend, type Local, localOf, peak } from './clock.ts'

/** When people are where in the demo city: shares from 0 (nobody) to 1 (full). */

/** Lessons of the primary school, in hours of the day; the breaks are in between. */
const lessons = [
  [8, 9.5],
  [9 + 50 / 60, 11 + 20 / 60],
  [11 + 40 / 60, 13 + 10 / 60],
] as const

const soon = 1 / 60

export const isSchoolDay = (local: Local): boolean => !isWeekend(local)

/** A class in its room: there during lessons, but for a lesson of sports or music elsewhere. */
export function inClass(seed: number, local: Local): number {
  if (!isSchoolDay(local)) return 0
  const lesson = lessons.findIndex(([from, to]) => local.hour >= from - soon && local.hour < to - soon)
  if (lesson === -1) return 0
  const isElsewhere = lesson === 2 && chance(seed, local.weekday) < 0.35
  return isElsewhere ? 0 : 0.82 + 0.18 * chance(seed + 1, local.day)
}

/** Windows are opened in the breaks and after the last lesson. */
export function isBreak({ hour, ...local }: Local): boolean {
  if (!isSchoolDay({ hour, ...local }) || hour < 9.4 || hour > 14) return false
  return lessons.every(([from, to]) => hour < from - soon || hour >= to - soon)
}

/** Teachers are in their room before school and in the breaks. */
export function inStaffRoom(local: Local): number {
  if (!isSchoolDay(local)) return 0
  return (
    0.15 * between(local.hour, 7.2, 15.5, 0.5) +
    0.7 * (isBreak(local) ? between(local.hour, 9.4, 13.6, 0.2) : 0)
  )
}

/** Sports lessons in the morning, clubs in the evening and on Saturday. */
export function inGym(local: Local): number {
  const { weekday, hour } = local
  if (weekday === 6) return 0
  if (weekday === 5) return 0.7 * between(hour, 9.5, 13, 0.5)
  return 0.8 * between(hour, 8, 13, 0.5) + (weekday === 4 ? 0 : 0.6 * between(hour, 17, 21.5, 0.5))
}

/** An office: people come between seven and nine, have lunch, and leave early on Fridays. */
export function inOffice(seed: number, at: number): number {
  const local = localOf(at)
  if (isWeekend(local)) return 0
  const leave = local.weekday === 4 ? 14.5 : 17.8
  const lunch = 0.5 * peak(local.hour, 12.5, 0.6)
  const share = between(local.hour, 7, leave, 1.6) * (1 - lunch) * (0.85 + 0.15 * drift(seed, at, 2 * hourMs))
  return Math.max(0, share)
}

/** The citizens' office: staff, and visitors during opening hours (Tuesday and Thursday also in the afternoon). */
export function inCitizensOffice(seed: number, at: number): number {
  const { weekday, hour } = localOf(at)
  const late = weekday === 1 ? between(hour, 14, 18, 0.7) : weekday === 3 ? between(hour, 14, 16, 0.7) : 0
  const visitors = weekday >= 5 ? 0 : Math.max(between(hour, 8, 12.2, 0.7), late)
  return 0.4 * inOffice(seed, at) + 0.6 * visitors * (0.8 + 0.2 * drift(seed + 1, at, hourMs))
}

/** Councillors and their committees meet on Tuesday and Thursday evening. */
export function inCouncil({ weekday, hour }: Local): number {
  return weekday === 1 || weekday === 3 ? between(hour, 17, 20.6, 0.5) : 0.1 * between(hour, 9, 11, 0.5)
}

/** Cars on a main road: commuters on working days, shoppers on Saturday, little at night. */
export function traffic(at: number): number {
  const local = localOf(at)
  const { hour } = local
  const night = 0.03 + 0.12 * between(hour, 5, 24, 2)
  if (isWeekend(local)) {
    const shopping = local.weekday === 5 ? 0.55 : 0.35
    return night + shopping * between(hour, 8.5, 20, 4)
  }
  return night + 0.35 * between(hour, 6, 20.5, 2) + 0.5 * peak(hour, 7.7, 0.9) + 0.45 * peak(hour, 16.8, 1.5)
}

/** People in the pubs around the market: Friday and Saturday nights until two, other evenings until eleven. */
export function nightlife(at: number): number {
  const { weekday, hour } = localOf(at)
  const evening = weekday === 4 || weekday === 5 ? 1 : 0.3
  const before = weekday === 5 || weekday === 6 ? 1 : 0
  const closing = evening === 1 ? 26 : 23
  return (
    evening * between(hour, 18.5, closing, 1.5) +
    before * (1 - between(hour, 0.5, 26, 1.5)) * (hour < 3 ? 1 : 0)
  )
}

/** How many of the spaces at the market are wanted. */
export function parkingDemand(at: number): number {
  const { weekday, hour } = localOf(at)
  if (weekday === 6) return 0.15 + 0.3 * between(hour, 11, 20, 2)
  const shops = weekday === 5 ? 0.75 * between(hour, 8, 15, 1.5) : 0.65 * between(hour, 8, 18.5, 1.5)
  return Math.min(0.95, 0.14 + shops + 0.35 * nightlife(at))
}
