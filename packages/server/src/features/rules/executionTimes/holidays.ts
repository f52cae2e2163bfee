import { createRequire } from 'node:module'
import type { ExecutionTimes, HolidayCalendar } from '@leitstand/contract/rules'
import type Holidays from 'date-holidays'
import { LRUCache } from 'lru-cache'

type Calendar = Pick<NonNullable<ExecutionTimes['holidays']>, 'country' | 'region'>

/** Maximum years of calendars that are kept. */
const yearsMax = 500
const dayMs = 86_400_000

const known = new LRUCache<string, ReadonlySet<string>>({ max: yearsMax })

let loaded: typeof Holidays | undefined
let countries: readonly HolidayCalendar[] | undefined

/** The calendars take ten megabytes and are loaded when the first rule needs them. */
function library(): typeof Holidays {
  loaded ??= createRequire(import.meta.url)('date-holidays') as typeof Holidays
  return loaded
}

/** Every country and its regions. */
export function holidayCalendars(): readonly HolidayCalendar[] {
  if (countries !== undefined) return countries
  const all = new (library())()
  countries = Object.keys(all.getCountries())
    .filter((country) => /^[A-Z]{2}$/.test(country))
    .sort()
    .map((country) => ({
      country,
      regions: Object.entries(all.getStates(country) ?? {}).map(([region, name]) => ({ region, name })),
    }))
  return countries
}

export function isKnownCalendar({ country, region }: Calendar): boolean {
  const found = holidayCalendars().find((each) => each.country === country)
  return found !== undefined && (region === undefined || found.regions.some((each) => each.region === region))
}

/** Whether a day (`2026-12-25`) is a public holiday. */
export function isHoliday({ country, region }: Calendar, day: string): boolean {
  const year = day.slice(0, 4)
  const key = `${country} ${region ?? ''} ${year}`
  let days = known.get(key)
  if (days === undefined) {
    days = holidaysOf({ country, region }, Number(year))
    known.set(key, days)
  }
  return days.has(day)
}

function holidaysOf({ country, region }: Calendar, year: number): ReadonlySet<string> {
  const calendar = region === undefined ? new (library())(country) : new (library())(country, region)
  const days = new Set<string>()
  // One that lasts for several days may have begun in the year before.
  for (const each of [...(calendar.getHolidays(year - 1) ?? []), ...(calendar.getHolidays(year) ?? [])]) {
    if (each.type !== 'public') continue
    const first = Date.parse(`${each.date.slice(0, 10)}T00:00:00Z`)
    const count = Math.max(1, Math.round((each.end.getTime() - each.start.getTime()) / dayMs))
    for (let index = 0; index < count; index++) {
      days.add(new Date(first + index * dayMs).toISOString().slice(0, 10))
    }
  }
  return days
}
