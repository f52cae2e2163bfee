import type { OverviewState } from '@leitstand/contract/overview'
import { expect, it } from 'vitest'
import { withLive } from './live.ts'

const time = '2026-06-15T12:00:00.000Z'
const state = { id: 7, value: 1, time } as OverviewState
const live = (stateId: number, ms: number) => ({
  stateId,
  twinId: 1,
  key: 'level',
  value: 2,
  timeMs: Date.parse(time) + ms,
})

it('shows the newer value', () => {
  expect(withLive(state, live(7, 1_000))).toEqual({ id: 7, value: 2, time: '2026-06-15T12:00:01.000Z' })
  expect(withLive(state, live(7, 0))).toMatchObject({ value: 2 })
  expect(withLive({ ...state, value: null, time: null }, live(7, -1_000))).toMatchObject({ value: 2 })
})

it('keeps the state if the value is older, of another state, or none', () => {
  expect(withLive(state, live(7, -1))).toBe(state)
  expect(withLive(state, live(8, 1_000))).toBe(state)
  expect(withLive(state, undefined)).toBe(state)
})
