import type { DecodeSelection } from '@leitstand/contract/redecoding'
import { type Range, rangeEnds } from '../../lib/range.ts'

/** What is decoded again: one device, some devices, or all devices of a driver. */
export type DecodeTarget =
  | { kind: 'devices'; ids: readonly number[]; title: string; driverId: null }
  | { kind: 'device'; id: number; title: string; driverId: number | null }
  | { kind: 'driver'; id: number; title: string; driverId: number }

/** Values of the first step. `version`: of the target's driver; `live`: the version each device uses now. */
export interface DecodeChoice {
  range: Range
  errorsOnly: boolean
  version: 'live' | number
}

/**
 * The choice as server input. `nowMs`: when the dialog was opened, so that preview and job use the same
 * period.
 */
export function toSelection(target: DecodeTarget, choice: DecodeChoice, nowMs: number): DecodeSelection {
  const { fromMs, toMs } = rangeEnds(choice.range, nowMs)
  return {
    ...devicesOf(target),
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    errorsOnly: choice.errorsOnly,
    using:
      choice.version === 'live' || target.driverId === null
        ? null
        : { driverId: target.driverId, number: choice.version },
  }
}

function devicesOf(target: DecodeTarget): Pick<DecodeSelection, 'driverId' | 'deviceIds'> {
  if (target.kind === 'driver') return { driverId: target.id }
  return { deviceIds: target.kind === 'device' ? [target.id] : [...target.ids] }
}
