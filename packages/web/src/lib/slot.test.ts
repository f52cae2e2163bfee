import { expect, it } from 'vitest'
import { createSlot } from './slot.ts'

it('a slot has the parts it was filled with last', () => {
  const slot = createSlot<string>('tabs')
  slot.fill(['rules'])
  slot.fill(['health', 'rules'])
  expect(slot.parts).toEqual(['health', 'rules'])
})

it('reading a slot that nothing fills names it', () => {
  const slot = createSlot<string>('tabs')
  expect(() => slot.parts).toThrow('tabs')
})
