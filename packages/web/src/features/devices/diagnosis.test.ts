import { describe, expect, it } from 'vitest'
import { diagnose, type Signs, similarIdentifiers } from './diagnosis.ts'

const nowMs = Date.parse('2026-03-04T12:00:00Z')
const healthy: Signs = {
  device: {
    disabled: false,
    externalId: 'A81758FFFE000001',
    lastSeen: '2026-03-04T11:59:00Z',
    driverId: 3,
    lastError: null,
    packetCount: 12,
  },
  connector: { enabled: true, state: 'listening', stateMessage: '' },
  unknown: [],
  refused: [],
  refusals: [],
  nowMs,
}
const silent = { ...healthy, device: { ...healthy.device, lastSeen: null, packetCount: 0 } }
const findings = (signs: Signs) =>
  Object.fromEntries(diagnose(signs).map((step) => [step.step, step.finding]))

describe('why nothing arrives', () => {
  it('finds every step in order for a device that sends', () => {
    expect(diagnose(healthy).map(({ level }) => level)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok'])
  })

  it('names the step that fails', () => {
    const off = { enabled: false, state: 'disabled', stateMessage: '' }
    expect(findings({ ...healthy, connector: off }).connector).toBe('connectorDisabled')
    const broken = { enabled: true, state: 'error', stateMessage: 'refused' }
    expect(diagnose({ ...healthy, connector: broken })[0]).toMatchObject({
      finding: 'connectorError',
      details: { message: 'refused' },
    })
    const waiting = { enabled: true, state: 'connecting', stateMessage: '' }
    expect(findings({ ...healthy, connector: waiting }).connector).toBe('connectorNotReady')
    expect(findings({ ...healthy, device: { ...healthy.device, disabled: true } }).device).toBe(
      'deviceDisabled',
    )
    expect(findings({ ...healthy, device: { ...healthy.device, driverId: null } }).driver).toBe(
      'driverMissing',
    )
    const lastError = { code: 'SCRIPT_ERROR', message: 'x is not defined' }
    expect(findings({ ...healthy, device: { ...healthy.device, lastError } }).driver).toBe('driverFails')
  })

  it('names a limit that turned messages away lately, the latest one', () => {
    const refusals = [
      { reason: 'DEVICE_UNKNOWN', count: 9, lastAt: '2026-03-04T11:59:59Z' },
      { reason: 'BODY_TOO_LARGE', count: 1, lastAt: '2026-03-04T10:00:00Z' },
      { reason: 'TOO_MANY_REQUESTS', count: 7, lastAt: '2026-03-04T11:00:00Z' },
    ]
    expect(diagnose({ ...silent, refusals })[1]).toMatchObject({
      ...{ step: 'limits', level: 'warning', finding: 'limitReached' },
      details: { code: 'TOO_MANY_REQUESTS', number: 7 },
    })
    const longAgo = [{ reason: 'TOO_MANY_REQUESTS', count: 7, lastAt: '2026-03-01T11:00:00Z' }]
    expect(findings({ ...silent, refusals: longAgo }).limits).toBe('limitsKept')
    expect(findings({ ...silent, refusals: null }).limits).toBeUndefined()
  })

  it('goes by what is refused now, not by what came before', () => {
    const refused = [{ reason: 'PACKET_TOO_OLD', at: '2026-03-04T11:59:30Z' }]
    expect(findings({ ...healthy, refused }).identifier).toBe('refusedPackets')
    const before = [{ reason: 'PACKET_TOO_OLD', at: '2026-03-04T11:00:00Z' }]
    expect(findings({ ...healthy, refused: before }).identifier).toBe('arriving')
  })

  it('tells a mistyped identifier from one that was never heard', () => {
    const heard = [{ identifier: 'a8-17-58-ff-fe-00-00-02', at: '2026-03-04T11:00:00Z' }]
    expect(diagnose({ ...silent, unknown: heard })[2]).toMatchObject({
      finding: 'similarIdentifier',
      details: { other: 'a8-17-58-ff-fe-00-00-02' },
    })
    expect(findings({ ...silent, unknown: [] }).identifier).toBe('identifierUnheard')
    expect(findings({ ...silent, unknown: null }).identifier).toBe('neverArrived')
    const own = [{ identifier: 'a81758fffe000001', at: '2026-03-04T11:00:00Z' }]
    expect(findings({ ...silent, unknown: own }).identifier).toBe('identifierHeard')
    const refused = [{ reason: 'PACKET_TOO_OLD', at: '2026-03-04T11:00:00Z' }]
    expect(findings({ ...silent, refused }).identifier).toBe('refusedPackets')
  })

  it('calls a device silent after a day', () => {
    const device = { ...healthy.device, lastSeen: '2026-03-03T11:00:00Z' }
    expect(findings({ ...healthy, device }).identifier).toBe('silent')
  })

  it('leaves out the connector for who may not see it', () => {
    expect(diagnose({ ...healthy, connector: null, refusals: null }).map(({ step }) => step)).toEqual([
      'identifier',
      'device',
      'driver',
    ])
  })
})

it('finds identifiers that look alike', () => {
  const heard = ['press-70', 'press-0', 'PRESS:07', 'oven-07', 'press-08', 'press-11']
  expect(similarIdentifiers('press-07', heard)).toEqual(['press-70', 'press-0', 'press-08'])
})
