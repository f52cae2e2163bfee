import { describe, expect, it } from 'vitest'
import { readEvent } from '../platform/events/topic.ts'
import { topics, twinMoved, valuesStored } from './index.ts'

describe('topics', () => {
  it('have names of their own: noun.verb', () => {
    const names = topics.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z]+\.[a-z]+$/)
  })
})

describe('values.stored', () => {
  const read = (version: number, payload: object) =>
    readEvent(valuesStored, {
      id: 1,
      topic: 'values.stored',
      version,
      accountId: null,
      payload,
      at: new Date(0),
    })

  it('of version 1 is upgraded: neither key nor source is known', () => {
    const values = [
      [1, 2, 1000, 'on', true],
      [1, 2, 2000, { x: [1] }, false],
    ]
    expect(read(1, { values }).payload).toEqual({
      sources: [{ kind: 'unknown' }],
      values: [
        [1, 2, '', 1000, 'on', true, 0],
        [1, 2, '', 2000, { x: [1] }, false, 0],
      ],
    })
  })

  it('keeps values, keys and sources', () => {
    const payload = {
      sources: [
        { kind: 'packet', connectorId: 3, deviceId: null, receivedMs: 5, meta: '{}' },
        { kind: 'rule', ruleId: 9 },
      ],
      values: [[1, 2, 'co2', 1000, 412.5, true, 1]],
    }
    expect(read(2, payload).payload).toEqual(payload)
  })
})

describe('twin.moved', () => {
  it('of version 1 is upgraded: the time of the values is not known', () => {
    const payload = { twinId: 7, latitude: 54, longitude: null, by: 'values' }
    const stored = { id: 1, topic: 'twin.moved', version: 1, accountId: 3, payload, at: new Date(0) }
    expect(readEvent(twinMoved, stored).payload).toEqual({ ...payload, timeMs: null })
  })
})
