import { expect, test } from 'vitest'
import { Recent } from './recent.ts'

const everyone = () => true

test('knows what was published to a topic from a time on, also in that moment', () => {
  const recent = new Recent(100)
  recent.note('tickets', undefined, 200)
  expect(recent.mayHave('tickets', 200, everyone)).toBe(true)
  expect(recent.mayHave('tickets', 201, everyone)).toBe(false)
  expect(recent.mayHave('alarms', 100, everyone)).toBe(false)
})

test('counts only what the reader would have got', () => {
  const recent = new Recent(100)
  recent.note('alarms', { scopeId: 1, category: 'digitalTwin' }, 200)
  expect(recent.mayHave('alarms', 150, ({ scopeId }) => scopeId === 1)).toBe(true)
  expect(recent.mayHave('alarms', 150, ({ scopeId }) => scopeId === 2)).toBe(false)
})

test('what it does not know may have been: from before it began, and what it has forgotten', () => {
  const recent = new Recent(100)
  expect(recent.mayHave('alarms', 99, everyone)).toBe(true)
  for (let n = 0; n <= 2_000; n++) recent.note('activations', undefined, 200 + n)
  expect(recent.mayHave('alarms', 1_199, everyone)).toBe(true)
  expect(recent.mayHave('alarms', 1_200, everyone)).toBe(false)
  expect(recent.mayHave('activations', 2_200, everyone)).toBe(true)
})
