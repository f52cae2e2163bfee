import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diagnose, type Signs, silentAfterMs, similarIdentifiers } from './diagnosis.ts'

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
  reception: {
    connector: {
      name: 'Hall',
      kind: 'mqtt-in',
      enabled: true,
      state: 'connected',
      stateMessage: '',
      stateAt: '2026-03-01T00:00:00Z',
      lastMessageAt: '2026-03-04T11:59:00Z',
      lastError: null,
    },
    refused: [],
    limits: [],
    limitReachedAt: null,
  },
  unknown: [],
  nowMs,
}
const received = (changes: Partial<Signs['reception']>, signs = healthy): Signs => ({
  ...signs,
  reception: { ...signs.reception, ...changes },
})
const connected = (changes: Partial<Signs['reception']['connector']>) =>
  received({ connector: { ...healthy.reception.connector, ...changes } })
const silent = { ...healthy, device: { ...healthy.device, lastSeen: null, packetCount: 0 } }
const findings = (signs: Signs) =>
  Object.fromEntries(diagnose(signs).map((step) => [step.step, step.finding]))

describe('why nothing arrives', () => {
  it('finds every step in order for a device that sends', () => {
    expect(diagnose(healthy).map(({ level }) => level)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok'])
  })

  it('names the step that fails', () => {
    expect(findings(connected({ enabled: false, state: 'disabled' })).connector).toBe('connectorDisabled')
    expect(diagnose(connected({ state: 'error', stateMessage: 'refused' }))[0]).toMatchObject({
      finding: 'connectorError',
      details: { name: 'Hall', kind: 'mqtt-in', message: 'refused' },
    })
    expect(findings(connected({ state: 'connecting' })).connector).toBe('connectorNotReady')
    expect(findings(connected({ lastMessageAt: null })).connector).toBe('connectorUnused')
    expect(findings({ ...healthy, device: { ...healthy.device, disabled: true } }).device).toBe(
      'deviceDisabled',
    )
    expect(findings({ ...healthy, device: { ...healthy.device, driverId: null } }).driver).toBe(
      'driverMissing',
    )
    const lastError = { code: 'SCRIPT_ERROR', message: 'x is not defined' }
    expect(findings({ ...healthy, device: { ...healthy.device, lastError } }).driver).toBe('driverFails')
  })

  it('forgets an error once a message has come', () => {
    const errorAt = (at: string) => connected({ lastError: { at, message: 'refused' } })
    expect(diagnose(errorAt('2026-03-04T11:59:30Z'))[0]).toMatchObject({
      level: 'warning',
      finding: 'connectorRecovered',
      details: { message: 'refused' },
    })
    expect(findings(errorAt('2026-03-04T11:00:00Z')).connector).toBe('connectorReady')
  })

  it('names a limit that was reached lately', () => {
    const limits = [
      { reason: 'TOO_MANY_REQUESTS' as const, count: 7, lastAt: '2026-03-04T11:00:00Z' },
      { reason: 'BODY_TOO_LARGE' as const, count: 1, lastAt: '2026-03-04T10:00:00Z' },
    ]
    expect(diagnose(received({ limits }, silent))[1]).toMatchObject({
      step: 'limits',
      level: 'warning',
      finding: 'limitReached',
      details: { code: 'TOO_MANY_REQUESTS', number: 7 },
    })
    const longAgo = [{ reason: 'TOO_MANY_REQUESTS' as const, count: 7, lastAt: '2026-03-01T11:00:00Z' }]
    expect(findings(received({ limits: longAgo })).limits).toBe('limitsKept')
    expect(findings(received({ limitReachedAt: '2026-03-04T11:00:00Z' })).limits).toBe('limitHeldBack')
    expect(findings(received({ limitReachedAt: '2026-03-01T11:00:00Z' })).limits).toBe('limitsKept')
  })

  it('goes by what is refused now, not by what came before', () => {
    const refused = [{ reason: 'PACKET_TOO_OLD', at: '2026-03-04T11:59:30Z' }]
    expect(findings(received({ refused })).identifier).toBe('refusedPackets')
    const before = [{ reason: 'PACKET_TOO_OLD', at: '2026-03-04T11:00:00Z' }]
    expect(findings(received({ refused: before })).identifier).toBe('arriving')
  })

  it('tells a mistyped identifier from one that was never heard', () => {
    const heard = [{ identifier: 'a8-17-58-ff-fe-00-00-02', at: '2026-03-04T11:00:00Z' }]
    expect(diagnose({ ...silent, unknown: heard })[2]).toMatchObject({
      finding: 'similarIdentifier',
      details: { other: 'a8-17-58-ff-fe-00-00-02' },
    })
    expect(findings({ ...silent, unknown: [] }).identifier).toBe('identifierUnheard')
    expect(findings({ ...silent, unknown: null }).identifier).toBe('neverArrived')
    const at = '2026-03-04T11:00:00Z'
    const own = [{ reason: 'DEVICE_UNKNOWN', at }]
    expect(findings(received({ refused: own }, silent)).identifier).toBe('identifierHeard')
    const refused = [...own, { reason: 'PACKET_TOO_OLD', at }]
    expect(findings(received({ refused }, silent)).identifier).toBe('refusedPackets')
  })

  it('calls a device silent after a day', () => {
    const device = { ...healthy.device, lastSeen: '2026-03-03T11:00:00Z' }
    expect(findings({ ...healthy, device }).identifier).toBe('silent')
  })
})

it('finds identifiers that look alike', () => {
  const heard = ['press-70', 'press-0', 'PRESS:07', 'oven-07', 'press-08', 'press-11']
  expect(similarIdentifiers('press-07', heard)).toEqual(['press-70', 'press-0', 'press-08'])
})

describe('the edges of a diagnosis', () => {
  const ago = (ms: number) => new Date(nowMs - ms).toISOString()
  const seen = (ms: number) =>
    findings({ ...healthy, device: { ...healthy.device, lastSeen: ago(ms) } }).identifier

  it('a device is silent only after a full day', () => {
    expect(seen(silentAfterMs)).toBe('arriving')
    expect(seen(silentAfterMs + 1)).toBe('silent')
    expect(seen(-60_000)).toBe('arriving')
  })

  it('a limit counts for a full day', () => {
    const limitAt = (ms: number) => findings(received({ limitReachedAt: ago(ms) })).limits
    expect(limitAt(silentAfterMs)).toBe('limitHeldBack')
    expect(limitAt(silentAfterMs + 1)).toBe('limitsKept')
  })

  it.each([
    [{ enabled: false, state: 'error' as const }, 'connectorDisabled', 'error'],
    [{ state: 'error' as const, stateMessage: 'refused' }, 'connectorError', 'error'],
    [{ state: 'listening' as const }, 'connectorReady', 'ok'],
    [{ lastMessageAt: null }, 'connectorUnused', 'unknown'],
    [{ lastMessageAt: null, lastError: { at: ago(1), message: 'x' } }, 'connectorRecovered', 'warning'],
  ])('a connector with %j', (change, finding, level) => {
    expect(diagnose(connected(change))[0]).toMatchObject({ step: 'connector', finding, level })
  })

  it.each([
    [{ driverId: null, packetCount: 9 }, 'driverMissing', 'warning'],
    [{ packetCount: 0 }, 'driverUntried', 'unknown'],
    [{ packetCount: 1 }, 'driverWorks', 'ok'],
    [{ packetCount: 0, lastError: { code: 'X', message: 'y' } }, 'driverFails', 'error'],
  ])('a driver of a device with %j', (change, finding, level) => {
    const signs = { ...healthy, device: { ...healthy.device, ...change } }
    expect(diagnose(signs)[4]).toMatchObject({ step: 'driver', finding, level })
  })

  it('reports one finding for each step, in the order of a packet', () => {
    expect(diagnose(silent).map(({ step }) => step)).toEqual([
      'connector',
      'limits',
      'identifier',
      'device',
      'driver',
    ])
  })

  it('a disabled device is not blamed for the messages it refused', () => {
    const refused = [{ reason: 'DEVICE_DISABLED', at: ago(1000) }]
    const signs = received({ refused }, { ...healthy, device: { ...healthy.device, disabled: true } })
    expect(findings(signs)).toMatchObject({ identifier: 'arriving', device: 'deviceDisabled' })
  })
})

describe('identifiers that look alike', () => {
  const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 8, maxLength: 16 })

  it('finds one wrong, one missing, one added and two swapped characters', () => {
    fc.assert(
      fc.property(hex, fc.nat(), (wanted, pick) => {
        const at = pick % (wanted.length - 1)
        const wrong = `${wanted.slice(0, at)}z${wanted.slice(at + 1)}`
        const missing = wanted.slice(0, at) + wanted.slice(at + 1)
        const added = `${wanted.slice(0, at)}z${wanted.slice(at)}`
        const swapped = `${wanted.slice(0, at)}${wanted[at + 1]}${wanted[at]}${wanted.slice(at + 2)}`
        for (const typed of [wrong, missing, added, swapped].filter((each) => each !== wanted))
          expect(similarIdentifiers(wanted, [typed])).toEqual([typed])
      }),
    )
  })

  it('finds neither the identifier itself, however it is written, nor one with two mistakes', () => {
    fc.assert(
      fc.property(hex, (wanted) => {
        const pairs = wanted.match(/../g)?.join(':') ?? ''
        const same = [wanted, wanted.toUpperCase(), ...(wanted.length % 2 === 0 ? [pairs] : [])]
        expect(similarIdentifiers(wanted, [...same, `zz${wanted}`, `${wanted}zz`])).toEqual([])
      }),
    )
  })

  it('names each once', () => {
    expect(similarIdentifiers('abc', ['abd', 'abd', 'abd'])).toEqual(['abd'])
    expect(similarIdentifiers('', ['a', 'ab'])).toEqual(['a'])
  })
})
