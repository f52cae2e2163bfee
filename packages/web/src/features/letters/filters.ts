import type { ListParams } from '../../ui/list/types.ts'

/** How far back the filter "since" looks, in hours. */
export const sinceHours = [1, 24, 168, 720] as const

/** The list's filter, also applied when everything shown is replayed or deleted. */
export function letterFilter(params: Pick<ListParams, 'search' | 'filters'>, nowMs: number) {
  const hours = sinceHours.find((each) => String(each) === params.filters.since?.[0])
  // Rounded to the minute, so that the same filter keeps the same query key for a while.
  const minuteMs = Math.floor(nowMs / 60_000) * 60_000
  const reason = params.filters.reason?.[0]
  const identifier = params.filters.identifier?.[0]
  return {
    ...(reason === undefined ? {} : { reason }),
    ...(identifier === undefined ? {} : { identifier }),
    ...(params.search === undefined ? {} : { search: params.search }),
    ...(hours === undefined ? {} : { from: new Date(minuteMs - hours * 3_600_000).toISOString() }),
  }
}

/** One line of a body. */
export function excerpt(body: string): string {
  const line = body.replace(/\s+/g, ' ').trim()
  return line.length > 160 ? `${line.slice(0, 159)}…` : line
}

const remedies = {
  DEVICE_UNKNOWN: 'createDevice',
  DEVICE_DISABLED: 'enableDevice',
  PACKET_INVALID: 'checkPreset',
  BODY_NOT_JSON: 'sendJson',
  PACKET_TOO_OLD: 'checkClock',
  PACKET_TOO_FAR_AHEAD: 'checkClock',
  PACKET_TOO_LARGE: 'sendSmaller',
  BODY_TOO_LARGE: 'sendSmaller',
  VALUE_WRONG_TYPE: 'changeType',
  ROUTING_UNMATCHED: 'setReference',
} as const

/** Text key of the remedy for a reason. */
export function remedyFor(reason: string): string {
  if (reason.startsWith('SCRIPT_')) return 'mendTemplate'
  return remedies[reason as keyof typeof remedies] ?? 'other'
}
