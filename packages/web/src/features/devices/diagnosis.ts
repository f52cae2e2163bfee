import type { Reception } from '@leitstand/contract/reception'

/** What is known about a device that should send. */
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
  /** messages of this connector for unknown devices; null: the viewer may not see them */
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

/** A step on the way of a packet, and whether it is in order. */
export interface Step {
  step: 'connector' | 'limits' | 'identifier' | 'device' | 'driver'
  level: 'ok' | 'warning' | 'error' | 'unknown'
  finding: Finding
  /** for the sentence: identifiers, codes, messages */
  details: Record<string, string | number>
}

/** A device that has not been heard for this long counts as silent here. */
export const silentAfterMs = 24 * 3_600_000

const readyStates: readonly string[] = ['connected', 'listening']

/** Follows the way of a packet from the connector to the values and says where it ends. */
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
  // A message that came since says that the error is over.
  if (lastError && (lastMessageAt === null || lastError.at > lastMessageAt))
    return found('warning', 'connectorRecovered', { message: lastError.message, at: lastError.at })
  if (lastMessageAt === null) return found('unknown', 'connectorUnused')
  return found('ok', 'connectorReady', { at: lastMessageAt })
}

/** Messages above a limit name no device: any of them may have been one of this device's. */
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

/** Reasons that other steps tell: the device was not there yet, or is disabled. */
const unrefused: readonly string[] = ['DEVICE_UNKNOWN', 'DEVICE_DISABLED']

function identifierStep({ device, unknown, reception, nowMs }: Signs): Step {
  const found = (level: Step['level'], finding: Finding, details: Step['details'] = {}): Step => ({
    step: 'identifier',
    level,
    finding,
    details: { identifier: device.externalId, ...details },
  })
  const reason = reception.refused.find((each) => !unrefused.includes(each.reason))
  // What is refused now tells more than what came before.
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

/** Slips by which two identifiers still look like a typing mistake; devices of one delivery often differ by two letters. */
const typingMistakesMax = 1

/** Identifiers heard lately that differ from the wanted one only by a typing mistake, the closest first. */
export function similarIdentifiers(wanted: string, heard: readonly string[]): string[] {
  return [...new Set(heard)]
    .map((identifier) => ({ identifier, distance: closeness(identifier, wanted) }))
    .filter(({ distance }) => distance > 0 && distance <= typingMistakesMax)
    .sort((a, b) => a.distance - b.distance)
    .map(({ identifier }) => identifier)
}

/** Letters to change, add, drop or swap with their neighbour between two identifiers, case and separators aside. */
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
