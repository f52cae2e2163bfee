import type { Reception } from '@leitstand/contract/reception'

/** What is known about a device that should be sending. */
export interface Signs {
  device: {
    disabled: boolean
    externalId: string
    lastSeen: string | null
    driverId: number | null
    lastError: { code: string; message: string } | null
    packetCount: number
  }
  reception: Reception
  /** messages of this connector from unknown devices; null: the user may not see them */
  unknown: { identifier: string; at: string }[] | null
  nowMs: number
}

export type Finding =
  | 'connectorDisabled'
  | 'connectorError'
  | 'connectorNotReady'
  | 'connectorRecovered'
  | 'connectorUnused'
  | 'connectorReady'
  | 'limitReached'
  | 'limitHeldBack'
  | 'limitsKept'
  | 'deviceDisabled'
  | 'deviceEnabled'
  | 'neverArrived'
  | 'silent'
  | 'arriving'
  | 'similarIdentifier'
  | 'refusedPackets'
  | 'identifierHeard'
  | 'identifierUnheard'
  | 'driverMissing'
  | 'driverFails'
  | 'driverWorks'
  | 'driverUntried'

/** A step of a packet's path, and whether it is in order. */
export interface Step {
  step: 'connector' | 'limits' | 'identifier' | 'device' | 'driver'
  level: 'ok' | 'warning' | 'error' | 'unknown'
  finding: Finding
  /** placeholders of the text: identifiers, codes, messages */
  details: Record<string, string | number>
}

/** A device without packets for this long counts as silent here. */
export const silentAfterMs = 24 * 3_600_000

const readyStates: readonly string[] = ['connected', 'listening']

/** Follows a packet's path from the connector to the values and reports where it ends. */
export function diagnose(signs: Signs): Step[] {
  return [
    connectorStep(signs),
    limitsStep(signs),
    identifierStep(signs),
    deviceStep(signs),
    driverStep(signs),
  ]
}

function connectorStep({ reception: { connector } }: Signs): Step {
  const { name, kind, state, stateMessage, lastMessageAt, lastError } = connector
  const found = (level: Step['level'], finding: Finding, details: Step['details'] = {}): Step => ({
    step: 'connector',
    level,
    finding,
    details: { name, kind, ...details },
  })
  if (!connector.enabled) return found('error', 'connectorDisabled')
  if (state === 'error') return found('error', 'connectorError', { message: stateMessage })
  if (!readyStates.includes(state)) return found('warning', 'connectorNotReady')
  // A message received after the error means that it is over.
  if (lastError && (lastMessageAt === null || lastError.at > lastMessageAt))
    return found('warning', 'connectorRecovered', { message: lastError.message, at: lastError.at })
  if (lastMessageAt === null) return found('unknown', 'connectorUnused')
  return found('ok', 'connectorReady', { at: lastMessageAt })
}

/** Messages rejected by a limit do not identify the device: any may have been this one's. */
function limitsStep({ reception: { limits, limitReachedAt }, nowMs }: Signs): Step {
  const found = (level: Step['level'], finding: Finding, details: Step['details'] = {}): Step => ({
    step: 'limits',
    level,
    finding,
    details,
  })
  const isLately = (at: string) => nowMs - Date.parse(at) <= silentAfterMs
  const [refused] = limits
  if (refused && isLately(refused.lastAt))
    return found('warning', 'limitReached', {
      code: refused.reason,
      number: refused.count,
      at: refused.lastAt,
    })
  if (limitReachedAt !== null && isLately(limitReachedAt))
    return found('warning', 'limitHeldBack', { at: limitReachedAt })
  return found('ok', 'limitsKept')
}

/** Reasons covered by other steps: the device did not exist yet, or is disabled. */
const unrefused: readonly string[] = ['DEVICE_UNKNOWN', 'DEVICE_DISABLED']

function identifierStep({ device, unknown, reception, nowMs }: Signs): Step {
  const found = (level: Step['level'], finding: Finding, details: Step['details'] = {}): Step => ({
    step: 'identifier',
    level,
    finding,
    details: { identifier: device.externalId, ...details },
  })
  const reason = reception.refused.find((each) => !unrefused.includes(each.reason))
  // The latest rejection matters more than earlier packets.
  if (reason && (device.lastSeen === null || Date.parse(reason.at) > Date.parse(device.lastSeen)))
    return found('error', 'refusedPackets', { code: reason.reason })
  if (device.lastSeen !== null) {
    const age = nowMs - new Date(device.lastSeen).getTime()
    return age > silentAfterMs ? found('warning', 'silent') : found('ok', 'arriving')
  }
  if (reception.refused.some((each) => each.reason === 'DEVICE_UNKNOWN'))
    return found('warning', 'identifierHeard')
  const [similar] = similarIdentifiers(
    device.externalId,
    (unknown ?? []).map(({ identifier }) => identifier),
  )
  if (similar) return found('error', 'similarIdentifier', { other: similar })
  return unknown === null ? found('unknown', 'neverArrived') : found('warning', 'identifierUnheard')
}

function deviceStep({ device }: Signs): Step {
  return device.disabled
    ? { step: 'device', level: 'error', finding: 'deviceDisabled', details: {} }
    : { step: 'device', level: 'ok', finding: 'deviceEnabled', details: {} }
}

function driverStep({ device }: Signs): Step {
  const found = (level: Step['level'], finding: Finding, details: Step['details'] = {}): Step => ({
    step: 'driver',
    level,
    finding,
    details,
  })
  if (device.driverId === null) return found('warning', 'driverMissing')
  if (device.lastError)
    return found('error', 'driverFails', { code: device.lastError.code, message: device.lastError.message })
  return device.packetCount > 0 ? found('ok', 'driverWorks') : found('unknown', 'driverUntried')
}

/**
 * Edits up to which two identifiers count as a typing mistake; devices of one delivery often differ by two
 * characters.
 */
const typingMistakesMax = 1

/**
 * Recently received identifiers that differ from the expected one only by a typing mistake, closest first.
 */
export function similarIdentifiers(wanted: string, heard: readonly string[]): string[] {
  return [...new Set(heard)]
    .map((identifier) => ({ identifier, distance: closeness(identifier, wanted) }))
    .filter(({ distance }) => distance > 0 && distance <= typingMistakesMax)
    .sort((a, b) => a.distance - b.distance)
    .map(({ identifier }) => identifier)
}

/** Edit distance of two identifiers (change, add, drop, swap neighbours), ignoring case and separators. */
function closeness(left: string, right: string): number {
  const a = bare(left)
  const b = bare(right)
  if (Math.abs(a.length - b.length) > typingMistakesMax) return typingMistakesMax + 1
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}

function bare(identifier: string): string {
  return identifier.toLowerCase().replace(/[\s:.-]/g, '')
}
