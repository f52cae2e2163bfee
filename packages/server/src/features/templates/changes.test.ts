import { TemplateContent } from '@leitstand/contract/templates'
import { describe, expect, test } from 'vitest'
import { changesBetween, syncStateOf } from './changes.ts'

const base = TemplateContent.parse({
  driverId: 1,
  connectorId: 2,
  tags: ['a'],
  states: [
    { key: 'temperature', title: 'Temperature', source: 'connector' },
    { key: 'humidity', title: 'Humidity', source: 'connector' },
  ],
})

const told = (productive: TemplateContent | undefined, draft: TemplateContent) =>
  changesBetween(productive, draft, 7).map(
    ({ section, kind, key, fields, devices }) => `${section} ${kind} ${key} [${fields.join()}] ${devices}`,
  )

describe('changes of a draft', () => {
  test('are all of it while nothing is productive, and none where it is the same', () => {
    expect(told(undefined, base)).toEqual([
      'driver added  [] 7',
      'connector added  [] 0',
      'state added temperature [] 7',
      'state added humidity [] 7',
      'tags added  [] 0',
    ])
    expect(told(base, structuredClone(base))).toEqual([])
  })

  test('are told by state, rule and property, with the fields that differ', () => {
    const [first, second] = base.states
    if (!first || !second) throw new Error('two states are expected')
    const draft = {
      ...base,
      tags: [],
      states: [
        { ...first, key: 'pressure' },
        { ...second, unit: '%', decimals: 1 },
      ],
      properties: [{ key: 'room', defaultValue: '' }],
    }
    expect(told(base, draft)).toEqual([
      'state added pressure [] 7',
      'state changed humidity [unit,decimals] 7',
      'state removed temperature [] 7',
      'property added room [] 7',
      'tags removed  [] 0',
    ])
  })
})

describe('the status of a template', () => {
  const none = { isRunning: false, isChanged: false, deviceCount: 0, failedCount: 0, syncedCount: 0 }
  test.each([
    [{ isRunning: true, isChanged: true }, 'running'],
    [{ isChanged: true }, 'changed'],
    [{}, 'unlinked'],
    [{ deviceCount: 3, failedCount: 1, syncedCount: 2 }, 'failed'],
    [{ deviceCount: 3, syncedCount: 3 }, 'synced'],
    [{ deviceCount: 3, syncedCount: 2 }, 'unknown'],
  ])('%j is %s', (given, state) => {
    expect(syncStateOf({ ...none, ...given })).toBe(state)
  })
})
