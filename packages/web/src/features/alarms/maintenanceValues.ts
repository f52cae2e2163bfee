/** What is entered in the form; local times as 2026-03-04T12:30. */
export interface MaintenanceTimes {
  startsAt: string
  endsAt: string
}

const hoursFirst = 2
const daysMax = 366
const dayMs = 86_400_000

/** From now on for two hours. */
export function firstTimes(now: Date): MaintenanceTimes {
  return { startsAt: localTime(now), endsAt: localTime(new Date(now.getTime() + hoursFirst * 3_600_000)) }
}

function localTime(time: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}`
}

/** Fields with a fault, and which. */
export function faultKeysOf(
  { title, startsAt, endsAt }: MaintenanceTimes & { title: string },
  now: Date,
): Partial<Record<'title' | 'startsAt' | 'endsAt', 'required' | 'order' | 'past' | 'long'>> {
  const length = new Date(endsAt).getTime() - new Date(startsAt).getTime()
  const endFault = () => {
    if (endsAt === '') return 'required'
    if (new Date(endsAt) <= now) return 'past'
    if (length <= 0) return 'order'
    return length > daysMax * dayMs ? 'long' : undefined
  }
  const end = endFault()
  return {
    ...(title.trim() === '' ? { title: 'required' as const } : {}),
    ...(startsAt === '' ? { startsAt: 'required' as const } : {}),
    ...(end === undefined ? {} : { endsAt: end }),
  }
}
