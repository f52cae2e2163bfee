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
  /** null: the viewer may not see connectors */
  connector: { enabled: boolean; state: string; stateMessage: string } | null
  /** messages of this connector for unknown devices; null: not known */
  unknown: { identifier: string; at: string }[] | null
  /** messages kept aside that named this very identifier */
  refused: { reason: string; at: string }[] | null
  /** what the connector refused since it exists, by reason; null: not known */
  refusals: { reason: string; count: number; lastAt: string }[] | null
  nowMs: number
}

export type Finding =
  | 'connectorDisabled'
  | 'connectorError'
  | 'connectorNotReady'
  | 'connectorReady'
  | 'limitReached'
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
  ].filter((step) => step !== null)
}

function connectorStep({ connector }: Signs): Step | null {
  if (!connector) return null
  const details = { state: connector.state, message: connector.stateMessage }
  const found = (level: Step['level'], finding: Finding): Step => ({
    step: 'connector',
    level,
    finding,
    details,
  })
  if (!connector.enabled) return found('error', 'connectorDisabled')
  if (connector.state === 'error') return found('error', 'connectorError')
  if (!readyStates.includes(connector.state)) return found('warning', 'connectorNotReady')
  return found('ok', 'connectorReady')
}

/** Reasons for which a message is turned away before anybody looks whose it is. */
const limitCodes: readonly string[] = [
  'TOO_MANY_REQUESTS',
  'OVERLOADED',
  'BODY_TOO_LARGE',
  'PACKET_TOO_LARGE',
]

/** Messages above a limit name no device: any of them may have been one of this device's. */
function limitsStep({ refusals, nowMs }: Signs): Step | null {
  if (refusals === null) return null
  const [reached] = refusals
    .filter(
      ({ reason, lastAt }) => limitCodes.includes(reason) && nowMs - Date.parse(lastAt) <= silentAfterMs,
    )
    .toSorted((a, b) => b.lastAt.localeCompare(a.lastAt))
  if (!reached) return { step: 'limits', level: 'ok', finding: 'limitsKept', details: {} }
  const { reason, count, lastAt } = reached
  return {
    step: 'limits',
    level: 'warning',
    finding: 'limitReached',
    details: { code: reason, number: count, at: lastAt },
  }
}

function identifierStep({ device, unknown, refused, nowMs }: Signs): Step {
  const found = (level: Step['level'], finding: Finding, details: Step['details'] = {}): Step => ({
    step: 'identifier',
    level,
    finding,
    details: { identifier: device.externalId, ...details },
  })
  const [reason] = refused ?? []
  // What is refused now tells more than what came before.
  if (reason && (device.lastSeen === null || Date.parse(reason.at) > Date.parse(device.lastSeen)))
    return found('error', 'refusedPackets', { code: reason.reason })
  if (device.lastSeen !== null) {
    const age = nowMs - new Date(device.lastSeen).getTime()
    return age > silentAfterMs ? found('warning', 'silent') : found('ok', 'arriving')
  }
  const same = unknown?.find(({ identifier }) => closeness(identifier, device.externalId) === 0)
  if (same) return found('warning', 'identifierHeard')
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
