import type { Activation } from '@leitstand/contract/keys'
import { describe, expect, test } from 'vitest'
import { inOrder, isPressable, type Press, stateOf } from './view.ts'

const online = true
const door = { closed: null }
const activated = (result: Activation['result']): Press => ({
  kind: 'activated',
  activation: { result } as Activation,
})

test('favourites come first, and all stay in their order', () => {
  const doors = [4, 1, 3, 2].map((lockId) => ({ lockId }))
  expect(inOrder(doors, []).map(({ lockId }) => lockId)).toEqual([4, 1, 3, 2])
  expect(inOrder(doors, [2, 1, 9]).map(({ lockId }) => lockId)).toEqual([1, 2, 4, 3])
})

describe('the button of a door', () => {
  test('is ready, or says why it opens nothing right now', () => {
    expect(stateOf(door, undefined, online)).toBe('ready')
    expect(stateOf({ closed: 'notYet' }, undefined, online)).toBe('notYet')
    expect(stateOf({ closed: 'hours' }, undefined, online)).toBe('hours')
  })

  test('follows what was asked for', () => {
    expect(stateOf(door, { kind: 'sending' }, online)).toBe('sending')
    expect(stateOf(door, activated(null), online)).toBe('requested')
    for (const result of ['opened', 'sent', 'failed', 'noAnswer'] as const)
      expect(stateOf(door, activated(result), online)).toBe(result)
    expect(stateOf(door, { kind: 'lost' }, online)).toBe('lost')
  })

  test('waits while it is throttled, and says what else was refused', () => {
    expect(stateOf(door, { kind: 'refused', reason: 'throttled', seconds: 5 }, online)).toBe('throttled')
    expect(stateOf(door, { kind: 'refused', reason: 'tooFar', metres: 900 }, online)).toBe('refused')
  })

  test('does nothing without a network, and keeps showing what is under way', () => {
    const offline = false
    expect(stateOf(door, undefined, offline)).toBe('offline')
    expect(stateOf(door, { kind: 'lost' }, offline)).toBe('offline')
    expect(stateOf(door, activated(null), offline)).toBe('requested')
  })

  test('can be pressed again once there is an answer', () => {
    for (const state of [
      'ready',
      'opened',
      'sent',
      'failed',
      'noAnswer',
      'refused',
      'lost',
      'error',
    ] as const)
      expect(isPressable(state)).toBe(true)
    for (const state of ['sending', 'requested', 'throttled', 'notYet', 'hours', 'offline'] as const)
      expect(isPressable(state)).toBe(false)
  })
})
