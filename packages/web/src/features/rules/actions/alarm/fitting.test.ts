import { expect, it } from 'vitest'
import { fittingCategory, withCategory } from './fitting.ts'

it.each([
  [['silence', 'values'], ['battery'], 'connectivity'],
  [['values'], ['temp', 'Batterie_2'], 'battery'],
  [['values'], ['temp'], 'device'],
  [['daily', 'health'], ['temp'], 'device'],
  [['daily', 'manual'], ['temp'], 'unknown'],
] as const)('a rule woken by %j with the metrics %j fits %s', (kinds, aliases, category) => {
  const wakes = { triggers: kinds.map((kind) => ({ kind })), metrics: aliases.map((alias) => ({ alias })) }
  expect(fittingCategory(wakes)).toBe(category)
  expect(withCategory({ kind: 'alarm' }, wakes)).toEqual({ kind: 'alarm', category })
  const chosen = { kind: 'alarm', category: 'packet-threshold' }
  expect(withCategory(chosen, wakes)).toBe(chosen)
  expect(withCategory({ kind: 'email' }, wakes)).toEqual({ kind: 'email' })
})
