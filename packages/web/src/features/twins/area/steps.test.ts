import { expect, test } from 'vitest'
import { type Steps, stepped } from './steps.ts'

const values = (steps: Steps<number>) => steps.map(({ before }) => before)

test('changes of one kind in a row are one step', () => {
  let steps: Steps<number> = []
  for (const [before, kind] of [
    [1, null],
    [2, null],
    [3, 'text'],
    [4, 'text'],
    [5, 'radius'],
    [6, 'text'],
  ] as const)
    steps = stepped(steps, before, kind)
  expect(values(steps)).toEqual([1, 2, 3, 5, 6])
})

test('the oldest steps are forgotten', () => {
  let steps: Steps<number> = []
  for (let before = 0; before < 200; before++) steps = stepped(steps, before, null)
  expect(values(steps)).toEqual(Array.from({ length: 50 }, (_, at) => 150 + at))
})
