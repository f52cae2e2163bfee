import { expect, it } from 'vitest'
import { stateChoices } from './stateChoices.ts'

it('states are chosen by title; equal titles have their key, unknown names stay', () => {
  const states = [
    { key: 'a', title: 'Temperature', count: 3 },
    { key: 'b', title: 'Temperature', count: 2 },
    { key: 'c', title: 'Door', count: 1 },
  ]
  expect(stateChoices(states, ['c', 'gone', 'gone'])).toEqual([
    { value: 'a', label: 'Temperature (a)' },
    { value: 'b', label: 'Temperature (b)' },
    { value: 'c', label: 'Door' },
    { value: 'gone', label: 'gone' },
  ])
  expect(stateChoices(undefined)).toEqual([])
})
