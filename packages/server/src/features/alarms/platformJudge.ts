import type { JsonValue } from '@leitstand/contract/common'
import type { Happening } from './causes.ts'
import type { AlarmSeverity } from './store.ts'

/** What can be wrong with the platform; texts of the console and of notifications go by these. */
export const platformReasons = ['disk', 'database', 'replica', 'events', 'eventLoop'] as const
export type PlatformReason = (typeof platformReasons)[number]

export interface Measures {
  /** where the platform keeps its data */
  /** where the database lies; null: on a server of its own */
  disk: { freeBytes: number; totalBytes: number } | null
  /** to store something for good; null: it is not possible */
  writeMs: number | null
  /** a read replica is configured, and nothing can be read from it */
  isReplicaUnused: boolean
  /** age of the oldest event that is not handled */
  eventsLateMs: number
  /** other requests have to wait noticeably */
  isLoopSlow: boolean
}

/** Looks in a row that must agree, so that a moment opens or ends nothing. */
export const looksMin = 6

/** Below a share and an amount: a tenth of a large disk is plenty. */
const diskLow = {
  warning: { share: 0.1, bytes: 20e9 },
  error: { share: 0.05, bytes: 5e9 },
  over: { share: 0.12, bytes: 24e9 },
} as const
const writeSlowMs = { warning: 1_000, error: 5_000, over: 300 } as const
const eventsLateMs = { warning: 60_000, error: 600_000, over: 10_000 } as const

const messages: Readonly<Record<PlatformReason, string>> = {
  disk: 'The disk is nearly full',
  database: 'The database does not keep up',
  replica: 'The read replica is not used',
  events: 'Changes are processed late',
  eventLoop: 'The server is overloaded',
}

/** `unclear`: better than bad and worse than good, so that everything stays as it is. */
type Verdict = AlarmSeverity | 'good' | 'unclear'

/** Decides from measures when alarms of the platform open and end. */
export class PlatformJudge {
  readonly #runs = new Map<PlatformReason, { verdict: Verdict; looks: number }>()
  /** since when nothing could be stored */
  #failedSince: Date | null = null

  /** What was seen until now does not count any more. */
  forget(): void {
    this.#runs.clear()
    this.#failedSince = null
  }

  /** Nothing could be stored: told as soon as that is possible. */
  failed(at: Date): void {
    this.#failedSince ??= at
  }

  /** What was decided is stored. */
  stored(): void {
    this.#failedSince = null
  }

  /**
   * Decides anew at every look, so that a decision that could not be stored is made again.
   * @param open the open alarms of the platform by reason
   * @returns what has become true or false
   */
  look(measures: Measures, open: ReadonlyMap<string, AlarmSeverity>, at: Date): Happening[] {
    const happenings = platformReasons.flatMap((reason): Happening[] => {
      const verdict = verdictOn(reason, measures)
      const before = this.#runs.get(reason)
      const looks = before?.verdict === verdict ? before.looks + 1 : 1
      this.#runs.set(reason, { verdict, looks })
      if (looks < looksMin || verdict === 'unclear') return []
      if (verdict === 'good') return open.has(reason) ? [over(reason, at)] : []
      return open.get(reason) === verdict ? [] : [begins(reason, verdict, measures, at)]
    })
    const since = this.#failedSince
    // It is over by now, but somebody should know that it was.
    return since === null || open.has('database')
      ? happenings
      : [
          begins('database', 'error', { ...measures, writeMs: null }, since),
          over('database', at),
          ...happenings.filter(({ cause }) => cause !== 'database'),
        ]
  }
}

const place = { source: 'platform', twinId: null, connectorId: null } as const

function over(cause: PlatformReason, at: Date): Happening {
  return { ...place, cause, event: { at, content: null } }
}

function begins(cause: PlatformReason, severity: AlarmSeverity, measures: Measures, at: Date): Happening {
  const details = { reason: cause as string, ...detailsOf(cause, measures) }
  return {
    ...place,
    cause,
    event: { at, content: { severity, category: 'platform', message: messages[cause], details } },
  }
}

function detailsOf(
  reason: PlatformReason,
  { disk, writeMs, eventsLateMs }: Measures,
): Record<string, JsonValue> {
  switch (reason) {
    case 'disk':
      if (disk === null) return {}
      return {
        freeGigabytes: Math.round(disk.freeBytes / 1e8) / 10,
        freePercent: Math.round((disk.freeBytes * 100) / Math.max(1, disk.totalBytes)),
      }
    case 'database':
      return writeMs === null ? { reason: 'databaseGone' } : { seconds: Math.round(writeMs / 100) / 10 }
    case 'events':
      return { seconds: Math.round(eventsLateMs / 1000) }
    case 'replica':
    case 'eventLoop':
      return {}
  }
}

function verdictOn(reason: PlatformReason, measures: Measures): Verdict {
  switch (reason) {
    case 'disk': {
      if (measures.disk === null) return 'good'
      const { freeBytes, totalBytes } = measures.disk
      const isBelow = ({ share, bytes }: { share: number; bytes: number }) =>
        freeBytes < totalBytes * share && freeBytes < bytes
      if (isBelow(diskLow.error)) return 'error'
      if (isBelow(diskLow.warning)) return 'warning'
      return isBelow(diskLow.over) ? 'unclear' : 'good'
    }
    case 'database':
      return measures.writeMs === null ? 'error' : against(measures.writeMs, writeSlowMs)
    case 'events':
      return against(measures.eventsLateMs, eventsLateMs)
    case 'replica':
      return measures.isReplicaUnused ? 'warning' : 'good'
    case 'eventLoop':
      return measures.isLoopSlow ? 'warning' : 'good'
  }
}

function against(value: number, limits: { warning: number; error: number; over: number }): Verdict {
  if (value >= limits.error) return 'error'
  if (value >= limits.warning) return 'warning'
  return value < limits.over ? 'good' : 'unclear'
}
