import { expect, it } from 'vitest'
import { floorOf } from './OnFloor.tsx'

const building = { id: 1, title: 'Hall', type: 'building' as const }
const floor = { id: 2, title: 'Ground', type: 'floor' as const }
const wing = { id: 3, title: 'Wing', type: 'default' as const }

it('a twin is drawn on its own plan, or on that of the nearest floor above it', () => {
  expect(floorOf({ id: 9, type: 'floor', ancestors: [building, floor] })).toBe(9)
  expect(floorOf({ id: 9, type: 'room', ancestors: [building, floor, wing] })).toBe(2)
  expect(floorOf({ id: 9, type: 'room', ancestors: [building] })).toBeNull()
})
