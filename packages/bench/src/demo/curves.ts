import { between, chance, dayMs, drift, follow, hourMs, isWeekend, localOf, minuteMs, peak } from './clock.ts'
import * as people from './people.ts'
import { daylight, outdoorTemperature, summer, wetness } from './weather.ts'

/**
 * Plausible values for a point in time: stateless functions of time, place and a seed, so that history and live
 * values match. Some begin with the city (`since`). All of it is invented.
 */

const outdoorCo2 = 425

/** Air of a room: who is in it, how much CO₂ they add (ppm per hour, when full), and air changes per hour. */
interface Air {
  people: (at: number) => number
  added: number
  changes: (at: number) => number
}

/** CO₂ in ppm: people add it, air takes it away. */
function co2(seed: number, at: number, { people: share, added, changes }: Air): number {
  const air = follow(at, { backMs: 18 * hourMs, stepMs: 10 * minuteMs, start: outdoorCo2 + 15 }, (time) => {
    const rate = changes(time)
    return { target: outdoorCo2 + (share(time) * added) / rate, rate }
  })
  return air + 9 * drift(seed, at, 25 * minuteMs) + 3 * drift(seed + 1, at, 4 * minuteMs)
}

/** A class room: rises in lessons, falls in breaks. `habit`: air changes per hour with the class inside. */
export function classCo2(seed: number, at: number, habit: number): number {
  return co2(seed, at, {
    people: (time) => people.inClass(seed, localOf(time)),
    added: 2100,
    changes: (time) => {
      const local = localOf(time)
      if (people.isBreak(local)) return 3
      return people.inClass(seed, local) > 0 ? habit + 0.5 * chance(seed + 2, local.day) : 0.6
    },
  })
}

/** A room with ventilation that is mostly closed at night. */
export function officeCo2(seed: number, at: number, added: number, share: (at: number) => number): number {
  return co2(seed, at, { people: share, added, changes: (time) => (share(time) > 0.05 ? 1.6 : 0.6) })
}

/** Room temperature in °C: heated on working days, warmer with people, sun and hot summers. */
export function roomTemperature(
  seed: number,
  at: number,
  base: number,
  share: (at: number) => number,
): number {
  const heated = follow(at, { backMs: 18 * hourMs, stepMs: 30 * minuteMs, start: base - 1 }, (time) => {
    const local = localOf(time)
    const heating = isWeekend(local) ? 0 : between(local.hour, 5, 17.5, 0.5)
    const heat = 0.9 * Math.max(0, outdoorTemperature(time) - 19) * 0.4
    return { target: base - 2.3 * (1 - heating) * (1 - summer(time)) + 0.9 * share(time) + heat, rate: 0.45 }
  })
  return heated + 0.6 * daylight(at) + 0.2 * drift(seed, at, 3 * hourMs)
}

/** The server room in °C: the cooling holds it below 27, if only just. */
export function serverRoom(seed: number, at: number): number {
  const cooling = 0.22 * Math.sin((at / (150 * minuteMs)) * 2 * Math.PI)
  return 26.1 + 0.45 * people.inOffice(seed, at) + cooling + 0.12 * drift(seed, at, 3 * hourMs)
}

/** Relative humidity in a room in %: dry in winter, more with people. */
export function roomHumidity(seed: number, at: number, share: number): number {
  return (
    37 + 15 * summer(at) + 4 * share + 3 * drift(seed, at, 9 * hourMs) + 0.6 * drift(seed + 1, at, hourMs)
  )
}

/** Level of a street in dB(A): traffic, pubs, single cars. */
export function streetNoise(seed: number, at: number): number {
  const flow = people.traffic(at) + 0.25 * people.nightlife(at)
  return 43 + 10 * Math.log10(1 + 130 * flow) + 1.4 * drift(seed, at, 6 * minuteMs)
}

/** Fine dust in µg/m³: traffic and, in winter, stoves; wind and rain take it away. */
export function fineDust(seed: number, at: number, busy: number): number {
  const stoves = (1 - summer(at)) * 5 * peak(localOf(at).hour, 20.5, 3)
  const weather = 4 * drift(51, at, 2 * dayMs) - Math.min(4, 1.5 * wetness(at, 6 * hourMs))
  const cars = 9 * busy * people.traffic(at - 30 * minuteMs)
  return Math.max(2, 8.5 + stoves + weather + cars + 1.2 * drift(seed, at, hourMs))
}

/** Use by hour of a working day and of a weekend day, in shares of a working day. None from one to four. */
export interface Habit {
  workday: (hour: number) => number
  weekend: (hour: number) => number
}

const still = (hour: number) => between(hour, 4, 25, 1)
export const habits = {
  /** town hall: morning, lunch, cleaners in the evening */
  office: {
    workday: (hour) =>
      still(hour) * (between(hour, 6.5, 18, 1.5) + 0.8 * peak(hour, 9, 1) + 0.7 * peak(hour, 18.5, 0.8)),
    weekend: (hour) => 0.04 * between(hour, 8, 20, 2),
  },
  /** school: the breaks and lunch, clubs in the gym's showers in the evening */
  school: {
    workday: (hour) =>
      still(hour) *
      (0.5 * between(hour, 7.5, 14, 0.7) +
        1.6 * peak(hour, 9.7, 0.35) +
        1.5 * peak(hour, 11.5, 0.35) +
        0.8 * peak(hour, 13.3, 0.5) +
        0.9 * peak(hour, 20.5, 1)),
    weekend: (hour) => 0.25 * peak(hour, 12.5, 1) * still(hour),
  },
  /** households: up in the morning, home in the evening */
  home: {
    workday: (hour) =>
      still(hour) * (0.3 * between(hour, 5.5, 23.5, 2) + peak(hour, 7.2, 1.2) + 0.9 * peak(hour, 19.3, 1.8)),
    weekend: (hour) =>
      still(hour) * (0.4 * between(hour, 7, 24, 2) + 0.9 * peak(hour, 10, 1.8) + 0.8 * peak(hour, 19, 2)),
  },
} satisfies Record<string, Habit>

const quarters = 96
/** Sums of a habit at each quarter of an hour, so that the whole working day is 1. */
const sums = new WeakMap<Habit, { workday: number[]; weekend: number[] }>()

function sumsOf(habit: Habit) {
  const known = sums.get(habit)
  if (known) return known
  const add = (use: (hour: number) => number) => {
    let sum = 0
    return [0, ...Array.from({ length: quarters }, (_, quarter) => (sum += use((quarter + 0.5) / 4)))]
  }
  const [workday, weekend] = [add(habit.workday), add(habit.weekend)]
  const total = workday.at(-1) as number
  const made = { workday: workday.map((each) => each / total), weekend: weekend.map((each) => each / total) }
  sums.set(habit, made)
  return made
}

const sumUntil = (all: readonly number[], hour: number): number => {
  const quarter = Math.min(quarters - 1, Math.floor(hour * 4))
  const share = hour * 4 - quarter
  return (all[quarter] as number) * (1 - share) + (all[quarter + 1] as number) * share
}

const firstWeek = 2_900

/**
 * A meter that only counts up. `perDay` units on an average working day, more or less of them from week to
 * week; `constant` units per hour that never stop.
 */
export function meter(
  seed: number,
  at: number,
  { start, perDay, habit, constant = 0 }: { start: number; perDay: number; habit: Habit; constant?: number },
): number {
  const local = localOf(at)
  const { workday, weekend } = sumsOf(habit)
  let sum = 0
  for (let weekday = 0; weekday < 7; weekday++) {
    const all = weekday >= 5 ? weekend : workday
    const week = Math.floor((local.day + 3 - weekday) / 7)
    const vary = (each: number) => 0.2 * chance(seed + weekday, each)
    // Every week adds 1 + vary(week + 1) - vary(week); the sum of all before is this.
    const isToday = weekday === local.weekday
    const before = isToday ? week : week + 1
    sum += (all.at(-1) as number) * (before - firstWeek + vary(before))
    if (isToday) sum += sumUntil(all, local.hour) * (1 + vary(before + 1) - vary(before))
  }
  return start + perDay * sum + constant * (at / hourMs - firstWeek * 168)
}

/** Whether a parking space is taken: the demand when the stay began decides. */
export function parked(seed: number, at: number): boolean {
  const stayMs = (25 + 65 * chance(seed, 7)) * minuteMs
  const stay = Math.floor(at / stayMs)
  return chance(seed, stay) < people.parkingDemand(stay * stayMs)
}

/** Fill of a container from 0 to 1, emptied every `days` at seven in the morning, the last time `agoDays` before `since`. */
export function filled(
  seed: number,
  at: number,
  { since, days, agoDays, until }: { since: number; days: number; agoDays: number; until: number },
): number {
  const anchor = collectionBefore(since - agoDays * dayMs)
  const emptied = anchor + Math.floor((at - anchor) / (days * dayMs)) * days * dayMs
  const use = { start: 0, perDay: 1, habit: habits.home }
  const thrown = meter(seed, at, use) - meter(seed, emptied, use)
  return Math.min(1, 0.02 + (thrown * until) / days)
}

/** Six o'clock UTC of this day, or of the Friday before if nobody works. */
function collectionBefore(at: number): number {
  const morning = Math.floor(at / dayMs) * dayMs + 6 * hourMs
  const { weekday } = localOf(morning)
  return morning - Math.max(0, weekday - 4) * dayMs
}

/** Soil moisture in %: dries until it rains. `sheltered`: 0 open to 1 under trees. */
export function soilMoisture(seed: number, at: number, sheltered: number): number {
  const thirst = 5 * summer(at)
  const rained = (1 - 0.75 * sheltered) * 1.1 * wetness(at, (7 - 3 * summer(at)) * dayMs)
  const level = 20 - 6 * sheltered - thirst + Math.min(20, rained)
  return Math.max(6, level - 0.4 * daylight(at) + 0.15 * drift(seed, at, 2 * hourMs))
}

/** Water of the stream in mm above its bed: rises after rain and falls for a day. */
export function streamLevel(seed: number, at: number): number {
  return (
    380 +
    24 * wetness(at - 2 * hourMs, 20 * hourMs) +
    40 * drift(31, at, 4 * dayMs) +
    3 * drift(seed, at, 20 * minuteMs)
  )
}

/** A battery that falls from `full` to `empty` volts within `days` and is then changed; `leftDays` before its end at `since`. */
export function fallingBattery(
  at: number,
  {
    since,
    days,
    leftDays,
    full,
    empty,
  }: { since: number; days: number; leftDays: number; full: number; empty: number },
): number {
  const end = since + leftDays * dayMs
  const used = ((((at - end) / (days * dayMs)) % 1) + 1) % 1
  // Lithium cells hold their voltage for long and fall quickly at the end.
  return full - (full - empty) * used ** 3
}
