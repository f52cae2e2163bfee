import { type SetupStep, setupSteps } from '@leitstand/contract/setup'
import { expect, test } from 'vitest'
import { nextStep, shownStep } from './steps.ts'

const stepsWith = (settled: Partial<Record<SetupStep, 'done' | 'skipped'>>) =>
  setupSteps.map((key) => ({ key, isDone: settled[key] === 'done', isSkipped: settled[key] === 'skipped' }))

test('the guide opens at the first open step, or where the address says', () => {
  expect(shownStep(stepsWith({}), undefined)).toBe('name')
  expect(shownStep(stepsWith({ name: 'done', mail: 'skipped' }), undefined)).toBe('legal')
  expect(shownStep(stepsWith({ name: 'done' }), 'demo')).toBe('demo')
  expect(shownStep(stepsWith({ name: 'done' }), 'toString')).toBe('mail')
  const all = Object.fromEntries(setupSteps.map((key) => [key, 'done']))
  expect(shownStep(stepsWith(all), undefined)).toBe('name')
})

test('the next step is open, goes around, and is never the same', () => {
  expect(nextStep(stepsWith({}), 'name')).toBe('mail')
  expect(nextStep(stepsWith({ demo: 'skipped', connector: 'done' }), 'account')).toBe('name')
  const others = Object.fromEntries(setupSteps.filter((key) => key !== 'mail').map((key) => [key, 'done']))
  expect(nextStep(stepsWith(others), 'mail')).toBeUndefined()
  expect(nextStep(stepsWith(others), 'demo')).toBe('mail')
})
