/** A page that a user opened. */
export interface Visit {
  userId: number
  path: string
  /** key of its screen */
  key: string
  /** of the thing it shows; absent for lists and other screens */
  title?: string
}

/** Maximum pages of all users of this browser. */
const visitsMax = 60

/** Whether a stored value is a visit that this version can link to. */
export function isVisit(value: unknown): value is Visit {
  if (typeof value !== 'object' || value === null) return false
  const { userId, path, key, title } = value as Partial<Record<keyof Visit, unknown>>
  return (
    typeof userId === 'number' &&
    typeof path === 'string' &&
    /^\/[\w/.-]+$/.test(path) &&
    typeof key === 'string' &&
    (title === undefined || typeof title === 'string')
  )
}

/** The visits with one more in front, each page of a user once. */
export function withVisit(visits: readonly Visit[], visit: Visit): Visit[] {
  const others = visits.filter(({ userId, path }) => userId !== visit.userId || path !== visit.path)
  return [visit, ...others].slice(0, visitsMax)
}

/** What a user opened lately, newest first; without the page that is shown. */
export function thingsOf(visits: readonly Visit[], userId: number, shown: string): Required<Visit>[] {
  return visits.flatMap((visit) =>
    visit.userId === userId && visit.title !== undefined && visit.path !== shown
      ? [{ ...visit, title: visit.title }]
      : [],
  )
}
