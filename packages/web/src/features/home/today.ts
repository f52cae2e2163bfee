/** An entry of the activity log, as far as the start page shows it. */
interface Entry {
  at: string
  subject: string
  action: string
  objectTitle: string
  userName: string
}

/** Entries of one action on one kind of thing. */
export interface Change {
  subject: string
  action: string
  count: number
  /** of the latest entry */
  at: string
  /** of different things, the latest first */
  titles: string[]
  users: string[]
}

/** Actions that change nothing. */
const visits = new Set([
  'login',
  'logout',
  'endSession',
  'forgotPassword',
  'impersonate',
  'restore',
  'handOn',
])
const titlesMax = 3
const changesMax = 6

/** What changed, by kind of thing and action, the latest first. @param entries newest first */
export function changesOf(entries: readonly Entry[]): Change[] {
  const changes = new Map<string, Change>()
  for (const { at, subject, action, objectTitle, userName } of entries) {
    if (visits.has(action)) continue
    const key = `${subject} ${action}`
    const change = changes.get(key) ?? { subject, action, count: 0, at, titles: [], users: [] }
    changes.set(key, change)
    change.count++
    if (objectTitle && change.titles.length < titlesMax && !change.titles.includes(objectTitle))
      change.titles.push(objectTitle)
    if (userName && !change.users.includes(userName)) change.users.push(userName)
  }
  return [...changes.values()].slice(0, changesMax)
}
