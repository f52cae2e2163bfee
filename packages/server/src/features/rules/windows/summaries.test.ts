import { expect, it } from 'vitest'
import { AppError } from '../../../platform/errors.ts'
import type { Summary } from '../../series/index.ts'
import { summariesInTime } from './summaries.ts'

const question = { range: { start: new Date(0), end: new Date(1) }, starts: [0], edges: new Set<never>() }
const states = Array.from({ length: 100 }, (_, index) => index)

it('leaves out the states that are slow, and reads all others', async () => {
  const slow = new Set([0, 17, 18, 99])
  const alone: number[] = []
  const { rows, tooSlow } = await summariesInTime(
    async (stateIds, _range, _starts, { timeoutMs }) => {
      if (stateIds.length === 1) alone.push(timeoutMs)
      else expect(timeoutMs).toBe(1_000)
      if (stateIds.some((id) => slow.has(id))) throw new AppError('REQUEST_TIMEOUT')
      return stateIds.map((stateId) => ({ stateId }) as Summary)
    },
    states,
    question,
  )
  expect(rows.map(({ stateId }) => stateId)).toEqual(states.filter((id) => !slow.has(id)))
  expect(tooSlow).toEqual(slow)
  expect(new Set(alone)).toEqual(new Set([5_000]))
})

it('reads all together if nothing is slow', async () => {
  let calls = 0
  const { rows } = await summariesInTime(
    async (stateIds) => {
      calls++
      return stateIds.map((stateId) => ({ stateId }) as Summary)
    },
    states,
    question,
  )
  expect([rows.length, calls]).toEqual([100, 1])
})

it('fails with any other error', async () => {
  const failing = summariesInTime(async () => Promise.reject(new Error('connection lost')), states, question)
  await expect(failing).rejects.toThrow('connection lost')
})
