import type { JsonValue } from '@leitstand/contract/common'
import type { AlarmCategory, AlarmSeverity } from './store.ts'

/** What an alarm says. */
export interface AlarmContent {
  severity: AlarmSeverity
  category: AlarmCategory
  message: string
  /** values for a text in the reader's language */
  details: Readonly<Record<string, JsonValue>>
}

/** A cause of alarms became true (`content`) or false (null); true again with another severity follows it. */
export interface CauseEvent {
  at: Date
  content: AlarmContent | null
}

/** An alarm of a cause: open, or resolved not long ago. */
export interface CauseAlarm extends AlarmContent {
  /** null: not stored yet */
  id: number | null
  raisedAt: Date
  lastRaisedAt: Date
  resolvedAt: Date | null
  occurrences: number
  isAcknowledged: boolean
}

/** An alarm that opens, or ends, when it is due. */
export type Waiting =
  | ({ opens: true; at: Date; dueAt: Date } & AlarmContent)
  | { opens: false; at: Date; dueAt: Date }

export interface CauseState {
  alarm: CauseAlarm | null
  waiting: Waiting | null
}

/** Milliseconds. */
export interface AlarmTimes {
  /** a cause must be true for so long before its alarm opens */
  openAfterMs: number
  /** and false for so long before it ends */
  resolveAfterMs: number
  /** one that opens again within this time is the same alarm */
  reopenWithinMs: number
}

/** What happened to an alarm; `again`: it was open a moment ago, so it needs no notification. */
export type AlarmStep = 'raised' | 'again' | 'severity' | 'resolved'

export interface CauseStep {
  what: AlarmStep
  /** as it was then */
  alarm: CauseAlarm
  at: Date
}

/** The cause after some events. */
export interface CauseResult {
  state: CauseState
  /** alarms that are new or changed, oldest first: the last is that of `state` */
  touched: CauseAlarm[]
  steps: CauseStep[]
}

/**
 * Follows one cause. A cause that is true again while its alarm is open joins it; one that comes back soon opens the
 * same alarm again; the severity follows up and down, and a higher one needs someone's attention again.
 * @param events in order
 */
export function followCause(
  state: CauseState,
  events: readonly CauseEvent[],
  times: AlarmTimes,
): CauseResult {
  const walk = new Walk(state)
  for (const { at, content } of events) {
    if (content === null) walk.over(at, times)
    else walk.holds(at, content, times)
  }
  return walk.result()
}

/** Does what waited, at its time. @param now as late as it is due, at least */
export function followDue(state: CauseState, now: Date, times: AlarmTimes): CauseResult {
  const walk = new Walk(state)
  walk.due(now, times)
  return walk.result()
}

class Walk {
  #alarm: CauseAlarm | null
  #waiting: Waiting | null
  readonly #touched = new Set<CauseAlarm>()
  readonly #steps: CauseStep[] = []

  constructor({ alarm, waiting }: CauseState) {
    this.#alarm = alarm === null ? null : { ...alarm }
    this.#waiting = waiting
  }

  holds(at: Date, content: AlarmContent, times: AlarmTimes): void {
    const alarm = this.#alarm
    if (alarm === null || alarm.resolvedAt !== null) {
      if (this.#waiting?.opens) this.#waiting = { ...this.#waiting, ...content }
      else if (times.openAfterMs > 0)
        this.#waiting = { opens: true, at, dueAt: later(at, times.openAfterMs), ...content }
      else this.#open(at, content, times)
      return
    }
    if (this.#waiting !== null) {
      this.#waiting = null
      alarm.occurrences++
      alarm.lastRaisedAt = at
      this.#note('again', alarm, at)
    }
    this.#follow(alarm, at, content)
  }

  over(at: Date, times: AlarmTimes): void {
    const alarm = this.#alarm
    if (alarm === null || alarm.resolvedAt !== null) {
      this.#waiting = null
      return
    }
    if (times.resolveAfterMs > 0)
      this.#waiting ??= { opens: false, at, dueAt: later(at, times.resolveAfterMs) }
    else this.#resolve(alarm, at)
  }

  due(now: Date, times: AlarmTimes): void {
    const waiting = this.#waiting
    if (waiting === null || waiting.dueAt > now) return
    this.#waiting = null
    if (waiting.opens) {
      const { opens, at, dueAt, ...content } = waiting
      this.#open(at, content, times)
    } else if (this.#alarm !== null && this.#alarm.resolvedAt === null) this.#resolve(this.#alarm, waiting.at)
  }

  result(): CauseResult {
    return {
      state: { alarm: this.#alarm, waiting: this.#waiting },
      touched: [...this.#touched],
      steps: this.#steps,
    }
  }

  #open(at: Date, content: AlarmContent, { reopenWithinMs }: AlarmTimes): void {
    const before = this.#alarm
    const isSame = before?.resolvedAt && at.getTime() - before.resolvedAt.getTime() <= reopenWithinMs
    if (before !== null && isSame) {
      before.resolvedAt = null
      before.occurrences++
      before.lastRaisedAt = at
      this.#note('again', before, at)
      this.#follow(before, at, content)
      return
    }
    const alarm: CauseAlarm = {
      id: null,
      raisedAt: at,
      lastRaisedAt: at,
      resolvedAt: null,
      occurrences: 1,
      isAcknowledged: false,
      ...content,
    }
    this.#alarm = alarm
    this.#note('raised', alarm, at)
  }

  #follow(alarm: CauseAlarm, at: Date, content: AlarmContent): void {
    const { severity } = alarm
    const isSame = severity === content.severity && alarm.message === content.message
    if (isSame) return
    Object.assign(alarm, content)
    this.#touched.add(alarm)
    if (severity === content.severity) return
    if (content.severity === 'error') alarm.isAcknowledged = false
    this.#note('severity', alarm, at)
  }

  #resolve(alarm: CauseAlarm, at: Date): void {
    // Never resolved before it was raised, even if the clocks of the two events differ.
    alarm.resolvedAt = at < alarm.lastRaisedAt ? alarm.lastRaisedAt : at
    this.#note('resolved', alarm, alarm.resolvedAt)
  }

  #note(what: AlarmStep, alarm: CauseAlarm, at: Date): void {
    this.#touched.add(alarm)
    this.#steps.push({ what, alarm: { ...alarm }, at })
  }
}

const later = (at: Date, ms: number): Date => new Date(at.getTime() + ms)
