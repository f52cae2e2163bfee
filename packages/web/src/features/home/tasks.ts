/** What is known about the installation; undefined: not known, or not for this user. */
export interface Known {
  /** devices that have not sent for a day, those that never have included */
  silent?: number | undefined
  neverSeen?: number | undefined
  /** devices whose health is error */
  faulty?: number | undefined
  /** devices with a battery problem */
  batteries?: number | undefined
  jobs?: readonly {
    id: number
    title: string
    state: string
    result: Record<string, unknown>
    createdAt: string
  }[]
  connectors?: readonly {
    id: number
    accountId: number
    name: string
    state: string
    lastRefusedAt: string | null
  }[]
  /** drivers of which the platform has a newer version */
  updatable?: number | undefined
  /** drivers of which accounts have not accepted the published version */
  acceptable?: number | undefined
  /** events that could not be processed */
  parked?: number | undefined
  mails?: { kept: number; failed: number; delayed: number } | undefined
}

/** Something to be done: its text is `overview.tasks.<key>`, or of mails `home.mail.<key>`. */
export interface Task {
  key:
    | 'faulty'
    | 'never'
    | 'connector'
    | 'refused'
    | 'jobFailed'
    | 'jobRows'
    | 'parked'
    | 'battery'
    | 'silent'
    | 'acceptable'
    | 'updatable'
    | 'kept'
    | 'failed'
    | 'delayed'
  tone: 'error' | 'warning' | 'unknown'
  /** where it can be done */
  to: string
  /** of a single object */
  id?: number
  title?: string
  count: number
  /** of `silent`: how many have never sent anything; if all of them, the key is `never` */
  never?: number
}

/** Devices that have been silent for this long are listed. */
export const silentMinutes = 24 * 60
/** Jobs older than this are history. */
const jobDays = 7
/** A connector that refused nothing for this long is in order again. */
const refusedMs = 86_400_000
/** Maximum of one kind, so that they do not hide the rest. */
const rowsMax = 3

/** What needs doing, the worst first. */
export function tasksOf(known: Known, nowMs: number): Task[] {
  const rank = { error: 0, warning: 1, unknown: 2 }
  return [
    ...connectorTasks(known),
    ...refusedTasks(known, nowMs),
    ...jobTasks(known, nowMs),
    ...countTasks(known),
  ].sort((a, b) => rank[a.tone] - rank[b.tone])
}

function connectorTasks({ connectors = [] }: Known): Task[] {
  return connectors
    .filter(({ state }) => state === 'error')
    .slice(0, rowsMax)
    .map(({ id, accountId, name }) => ({
      key: 'connector',
      tone: 'error',
      to: `/connectors/edit/${accountId}/${id}`,
      id,
      title: name,
      count: 1,
    }))
}

function refusedTasks({ connectors = [] }: Known, nowMs: number): Task[] {
  return connectors
    .filter(({ lastRefusedAt }) => lastRefusedAt !== null && Date.parse(lastRefusedAt) > nowMs - refusedMs)
    .slice(0, rowsMax)
    .map(({ id, accountId, name }) => ({
      key: 'refused',
      tone: 'warning',
      to: `/connectors/edit/${accountId}/${id}?tab=dead`,
      id,
      title: name,
      count: 1,
    }))
}

function jobTasks({ jobs = [] }: Known, nowMs: number): Task[] {
  return jobs
    .filter(({ createdAt }) => Date.parse(createdAt) > nowMs - jobDays * 86_400_000)
    .flatMap(({ id, title, state, result }): Task[] => {
      const to = `/background-jobs?job=${id}`
      const count = Number(result.failed ?? 0)
      if (state === 'failed') return [{ key: 'jobFailed', tone: 'error', to, id, title, count: 1 }]
      return state === 'done' && count > 0 ? [{ key: 'jobRows', tone: 'warning', to, id, title, count }] : []
    })
    .slice(0, rowsMax)
}

function countTasks({
  faulty = 0,
  parked = 0,
  mails,
  silent = 0,
  neverSeen = 0,
  updatable = 0,
  batteries = 0,
  acceptable = 0,
}: Known): Task[] {
  const { kept = 0, failed = 0, delayed = 0 } = mails ?? {}
  const mailTask = (key: 'kept' | 'failed' | 'delayed', count: number, status: string): Task => ({
    key,
    tone: 'warning',
    to: `/system-logs?tab=mails&status=${status}`,
    count,
  })
  const never = Math.min(silent, neverSeen)
  const all: Task[] = [
    { key: 'faulty', tone: 'error', to: '/virtual-devices?health=2', count: faulty },
    { key: 'parked', tone: 'error', to: '/system-logs?tab=parked', count: parked },
    { key: 'battery', tone: 'warning', to: '/virtual-devices?problem=battery', count: batteries },
    mailTask('kept', kept, 'kept'),
    mailTask('failed', failed, 'failed'),
    mailTask('delayed', delayed, 'queued'),
    {
      key: never === silent ? 'never' : 'silent',
      tone: 'warning',
      to: `/virtual-devices?silent=${silentMinutes}&state=enabled`,
      count: silent,
      never: never === silent ? 0 : never,
    },
    {
      key: 'acceptable',
      tone: 'unknown',
      to: '/virtual-device-drivers?acceptance=outdated',
      count: acceptable,
    },
    {
      key: 'updatable',
      tone: 'unknown',
      to: '/virtual-device-drivers/library?state=updatable',
      count: updatable,
    },
  ]
  return all.filter(({ count }) => count > 0)
}
