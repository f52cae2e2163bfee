import type { WarnMonitor } from '@leitstand/contract/warnapp'
import { levelOf, levelOfAll, type WarnLevel } from '@leitstand/contract/warnLevels'

/** Monitors of one screen. */
export const shownMax = 20
/** Without an answer of the server for this long, nothing on the screen counts any more. */
export const contactMs = 30_000
export const secondsDefault = 20
export const secondsMin = 5
export const secondsMax = 600

/** Ids of twins in an address, each once. */
export function idsOf(text: string | undefined): number[] {
  const ids = (text ?? '').split(',').filter((id) => /^[1-9]\d{0,8}$/.test(id))
  return [...new Set(ids.map(Number))].slice(0, shownMax)
}

/** How long each monitor is shown. */
export function secondsOf(text: string | undefined): number {
  const seconds = Number(text)
  if (text === undefined || !Number.isInteger(seconds)) return secondsDefault
  return Math.min(secondsMax, Math.max(secondsMin, seconds))
}

/** When an answer came, by two clocks of the tablet: one that is never set, and one that runs while it sleeps. */
export interface Stamp {
  steadyMs: number
  wallMs: number
}

/**
 * Time since a stamp. The clock on the wall may be set in between and the steady one may have slept, so the larger counts:
 * the screen rather says too early than too late that it knows nothing.
 */
export function sinceStamp(stamp: Stamp, now: Stamp): number {
  return Math.max(now.steadyMs - stamp.steadyMs, Math.abs(now.wallMs - stamp.wallMs))
}

/** A monitor as the server has answered, and when. */
export interface Answer {
  monitor: WarnMonitor
  stamp: Stamp
}

/** What a screen knows of a monitor at a moment. */
export interface Known {
  level: WarnLevel
  /** of each state, in their order */
  levels: WarnLevel[]
  /** time of the server */
  serverMs: number
  /** since the last answer */
  silentMs: number
  isLost: boolean
}

export function knownOf({ monitor, stamp }: Answer, now: Stamp): Known {
  const silentMs = sinceStamp(stamp, now)
  const serverMs = Date.parse(monitor.now) + silentMs
  const isLost = silentMs > contactMs
  return {
    level: isLost ? 'unknown' : levelOfAll(monitor.states, serverMs),
    levels: monitor.states.map((state) => (isLost ? 'unknown' : levelOf(state, serverMs))),
    serverMs,
    silentMs,
    isLost,
  }
}

interface LiveValue {
  stateId: number
  value: unknown
  timeMs: number
}

/** The monitor with values that have arrived since; older ones change nothing. */
export function withValues(monitor: WarnMonitor, values: readonly LiveValue[]): WarnMonitor {
  return {
    ...monitor,
    states: monitor.states.map((state) => {
      const newer = values
        .filter(
          ({ stateId, timeMs }) => stateId === state.stateId && !(Date.parse(state.time ?? '') > timeMs),
        )
        .at(-1)
      return newer === undefined
        ? state
        : { ...state, value: newer.value as typeof state.value, time: new Date(newer.timeMs).toISOString() }
    }),
  }
}

/** Bad states by id: whether their alarm is heard or silenced. */
export type Alarms = ReadonlyMap<number, 'heard' | 'silenced'>

/**
 * What becomes of the alarms: a state that turns bad is heard, until it is good or okay again. One that is unknown after it
 * was bad is still heard: nobody knows that it is over.
 */
export function nextAlarms(alarms: Alarms, states: readonly { stateId: number; level: WarnLevel }[]): Alarms {
  const next = new Map<number, 'heard' | 'silenced'>()
  for (const { stateId, level } of states) {
    const before = alarms.get(stateId)
    if (level === 'bad') next.set(stateId, before ?? 'heard')
    else if (level === 'unknown' && before !== undefined) next.set(stateId, before)
  }
  const isSame = next.size === alarms.size && [...next].every(([id, how]) => alarms.get(id) === how)
  return isSame ? alarms : next
}

/** All that is heard is silenced. */
export const silenced = (alarms: Alarms): Alarms => new Map([...alarms.keys()].map((id) => [id, 'silenced']))

/** The monitors that take turns: while some are bad, only these. */
export function turnsOf(monitors: readonly { id: number; level: WarnLevel }[]): number[] {
  const bad = monitors.filter(({ level }) => level === 'bad')
  return (bad.length > 0 ? bad : monitors).map(({ id }) => id)
}

/** The one that is shown after another; the first when that takes no part. */
export function afterOf(
  turns: readonly number[],
  current: number | undefined,
  step: 1 | -1 = 1,
): number | undefined {
  const at = current === undefined ? -1 : turns.indexOf(current)
  if (at === -1) return turns[0]
  return turns[(at + step + turns.length) % turns.length]
}
