import { describe, expect, it } from 'vitest'
import { faultKeysOf, inputOf, valuesOf } from './values.ts'

const fresh = { ...valuesOf(null), title: ' Night ' }

describe('a notification', () => {
  it('is sent as it was entered, without what belongs to other choices', () => {
    expect(inputOf({ ...fresh, connectorId: 3, isQuiet: true }, true)).toEqual({
      title: 'Night',
      active: true,
      channel: 'mail',
      connectorId: null,
      errorsOnly: false,
      categories: [],
      sources: [],
      twinId: null,
      groupId: null,
      resolved: false,
      digestAt: null,
      quiet: { from: '22:00', to: '06:00' },
    })
    const digest = { ...fresh, channel: 'webhook', connectorId: 3, isDigest: true, isQuiet: true } as const
    expect(inputOf(digest, false)).toMatchObject({
      active: false,
      connectorId: 3,
      digestAt: '07:00',
      quiet: null,
    })
  })

  it('is shown again as it was stored', () => {
    const stored = { ...inputOf({ ...fresh, severity: 'error', isQuiet: true, quietFrom: '20:00' }, true) }
    const values = valuesOf({
      ...stored,
      id: 1,
      version: 1,
      connectorName: null,
      twinTitle: null,
      groupTitle: null,
      timeZone: 'Europe/Berlin',
      lastSentAt: null,
    })
    expect(inputOf(values, true)).toEqual(stored)
  })

  it.each([
    [{}, []],
    [{ title: ' ' }, ['title']],
    [{ channel: 'webhook' }, ['connectorId']],
    [{ channel: 'webhook', connectorId: 1 }, []],
    [{ isDigest: true, digestAt: '' }, ['digestAt']],
    [{ digestAt: '' }, []],
    [{ isQuiet: true, quietTo: '' }, ['quietFrom']],
    [{ isQuiet: true, isDigest: true, quietTo: '' }, []],
  ] as const)('with %o lacks %o', (change, fields) => {
    expect(Object.keys(faultKeysOf({ ...fresh, ...change }))).toEqual(fields)
  })
})
