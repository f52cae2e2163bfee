import { offsetAt } from '../../series/index.ts'

/** A time as a clock on the wall shows it, in milliseconds as if that were UTC. */
export function wallMs(timeMs: number, timeZone: string): number {
  return timeMs + offsetAt(timeMs, timeZone)
}

/** `2026-11-23T14:03:09.000+01:00` */
export function isoIn(timeMs: number, timeZone: string): string {
  const offset = offsetAt(timeMs, timeZone)
  const minutes = Math.round(Math.abs(offset) / 60_000)
  const two = (number: number) => String(number).padStart(2, '0')
  const sign = offset < 0 ? '-' : '+'
  return `${new Date(timeMs + offset).toISOString().slice(0, -1)}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
