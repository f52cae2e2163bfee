import type { MapSettings } from '@leitstand/contract/mapSettings'
import { describe, expect, it } from 'vitest'
import { plainSettings } from './plainSettings.ts'
import { entered, fromDraft, raised, toDraft, withRule } from './settingsDraft.ts'

const settings: MapSettings = {
  ...plainSettings,
  operators: [{ state: 'door', operator: 'eq', value: 21.5, color: 'red', icon: 'fire' }],
}

describe('map settings in a form', () => {
  it('come back as they were', () => {
    expect(fromDraft(toDraft(settings))).toEqual(settings)
  })

  it('get a further operator with a row of its own', () => {
    const draft = withRule(withRule(toDraft(settings)))
    expect(draft.operators.map(({ rowId }) => rowId)).toEqual([0, 1, 2])
    expect(withRule(toDraft(plainSettings)).operators[0]).toMatchObject({ rowId: 0, state: null, value: '' })
    expect(fromDraft(draft).operators[1]).toMatchObject({ state: '', value: '' })
  })

  it.each([
    ['21', 21],
    ['-3,5', -3.5],
    ['.5', 0.5],
    [' 7. ', 7],
    ['open', 'open'],
    ['1e3', '1e3'],
    ['', ''],
    ['-', '-'],
    ['2 3', '2 3'],
  ])('read %j as %j', (text, value) => {
    expect(entered(text)).toBe(value)
  })

  it('decide in the order of the operators', () => {
    expect(raised(['a', 'b', 'c'], 2)).toEqual(['a', 'c', 'b'])
    expect(raised(['a', 'b'], 0)).toEqual(['a', 'b'])
    expect(raised(['a', 'b'], 2)).toEqual(['a', 'b'])
  })
})
