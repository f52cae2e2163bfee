import { describe, expect, it } from 'vitest'
import { leavesForm } from './leaving.ts'

const at = (pathname: string, search: Record<string, unknown> = {}) => ({ pathname, search })

describe('a navigation', () => {
  it('to another screen leaves the form', () => {
    expect(leavesForm(at('/home'), at('/users'), false)).toBe(true)
    expect(leavesForm(at('/home'), at('/users'), true)).toBe(true)
  })

  it('out of a wizard that has the address of its list leaves the form', () => {
    const wizard = at('/virtual-devices', { create: '1', tab: 'a' })
    expect(leavesForm(wizard, at('/virtual-devices', { tab: 'a' }), true)).toBe(true)
    expect(leavesForm(wizard, at('/virtual-devices', { import: '1', tab: 'a' }), true)).toBe(true)
  })

  it('to another kind of connector leaves the form', () => {
    expect(leavesForm(at('/c', { kind: 'mqtt-in' }), at('/c'), false)).toBe(true)
    expect(leavesForm(at('/c', { kind: 'mqtt-in' }), at('/c', { kind: 'mqtt-in' }), false)).toBe(false)
  })

  it('to another tab leaves a form that is on one of them', () => {
    expect(leavesForm(at('/d/1'), at('/d/1', { tab: 'health' }), false)).toBe(true)
    expect(leavesForm(at('/d/1'), at('/d/1', { tab: 'health' }), true)).toBe(false)
  })

  it('that changes a filter or the time range does not leave the form', () => {
    expect(leavesForm(at('/d/1', { q: 'a' }), at('/d/1', { range: '7d' }), false)).toBe(false)
    expect(leavesForm({ pathname: '/d/1', search: undefined }, at('/d/1'), false)).toBe(false)
  })
})
