import { describe, expect, test } from 'vitest'
import { choicesOf, jobBehind, notesOf, withPart } from './choices.ts'

const contents = {
  twins: 3,
  twinsMax: 10,
  devices: 0,
  states: 4,
  boundStates: 1,
  hiddenStates: 0,
  rules: 2,
  hiddenRules: 0,
  files: 0,
  referenceIds: 0,
}
const parts = {
  descendants: true,
  states: true,
  rules: true,
  files: true,
  referenceIds: false,
  bindings: false,
}

describe('parts to choose from', () => {
  test('are those the twin has; the twins below it stay in the list when they are left out', () => {
    expect(choicesOf(contents, parts).map(({ part, count }) => [part, count])).toEqual([
      ['descendants', 2],
      ['states', 4],
      ['bindings', 1],
      ['rules', 2],
    ])
    const alone = { ...contents, twins: 1, states: 0, boundStates: 0, rules: 0, files: 2, referenceIds: 1 }
    expect(choicesOf(alone, { ...parts, descendants: false }).map(({ part }) => part)).toEqual([
      'descendants',
      'files',
      'referenceIds',
    ])
  })

  test('rules and sources need states, and rules the caller may not copy do not count', () => {
    const off = choicesOf(contents, { ...parts, states: false }).filter(({ isOff }) => isOff)
    expect(off.map(({ part }) => part)).toEqual(['bindings', 'rules'])
    const some = choicesOf({ ...contents, hiddenRules: 1 }, parts)
    expect(some.find(({ part }) => part === 'rules')?.count).toBe(1)
    expect(choicesOf({ ...contents, hiddenRules: 2 }, parts).some(({ part }) => part === 'rules')).toBe(false)
  })

  test('rules come and go with states', () => {
    const without = withPart({ ...parts, bindings: true }, 'states', false)
    expect(without).toEqual({ ...parts, states: false, rules: false, bindings: false })
    expect(withPart(without, 'states', true)).toEqual(parts)
    expect(withPart(parts, 'files', false)).toEqual({ ...parts, files: false })
  })
})

test('notes say what is missing from the copy', () => {
  expect(notesOf(contents, parts)).toEqual([])
  const missing = { ...contents, twins: 11, devices: 5, hiddenStates: 2, hiddenRules: 1 }
  expect(notesOf(missing, parts)).toEqual([
    { note: 'tooMany', count: 10 },
    { note: 'devices', count: 5 },
    { note: 'hiddenStates', count: 2 },
    { note: 'hiddenRules', count: 1 },
  ])
  expect(notesOf(missing, { ...parts, states: false, rules: false }).map(({ note }) => note)).toEqual([
    'tooMany',
    'devices',
  ])
  expect(notesOf({ ...contents, twins: 10 }, parts)).toEqual([])
})

test('a copy that takes too long has a job', () => {
  expect(jobBehind({ code: 'DTWIN_COPY_TIMED_OUT', details: { jobId: 7 } })).toBe(7)
  expect(jobBehind({ code: 'DTWIN_COPY_TIMED_OUT', details: {} })).toBeNull()
  expect(jobBehind({ code: 'NO_PERMISSION', details: { jobId: 7 } })).toBeNull()
})
