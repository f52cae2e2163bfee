import type { ModuleKey } from '@leitstand/contract/permissions'
import { describe, expect, test } from 'vitest'
import { type ModuleSwitch, mayTurnOn, moduleStates, type SwitchingAccount } from './switches.ts'

const account = (id: number, said: Partial<ModuleSwitch> | null): SwitchingAccount => ({
  id,
  name: `account ${id}`,
  scopeId: id,
  switches: new Map<ModuleKey, ModuleSwitch>(
    said === null
      ? []
      : [['facility', { enabled: true, fromAbove: false, toNewUsers: null, version: 2, ...said }]],
  ),
})
const stateOf = (...path: SwitchingAccount[]) => {
  const found = moduleStates(path).find(({ module }) => module === 'facility')
  if (!found) throw new Error('no such module')
  return found
}

describe('a module', () => {
  test('is on where nobody says anything', () => {
    expect(stateOf(account(2, null), account(1, null))).toMatchObject({
      enabled: true,
      effective: true,
      offAt: null,
      effectiveToNewUsers: false,
      version: 1,
    })
  })

  test('is off where the account says so, and below', () => {
    const off = account(1, { enabled: false })
    expect(stateOf(off).effective).toBe(false)
    expect(stateOf(account(3, { enabled: true }), account(2, null), off)).toMatchObject({
      enabled: true,
      effective: false,
      offAt: { id: 1 },
    })
  })

  test('goes to new users where the nearest account that says anything wants it, while it is on', () => {
    const gives = account(1, { toNewUsers: true })
    expect(stateOf(account(2, null), gives).effectiveToNewUsers).toBe(true)
    expect(stateOf(account(2, { toNewUsers: false }), gives).effectiveToNewUsers).toBe(false)
    expect(stateOf(account(2, { enabled: false }), gives).effectiveToNewUsers).toBe(false)
  })

  test('is switched on by nobody below where it is off above', () => {
    const off = account(1, { enabled: false })
    expect(mayTurnOn(stateOf(account(2, null), off), true)).toBe(false)
    expect(mayTurnOn(stateOf(account(2, { enabled: false, fromAbove: true })), false)).toBe(false)
    expect(mayTurnOn(stateOf(account(2, { enabled: false, fromAbove: true })), true)).toBe(true)
    expect(mayTurnOn(stateOf(account(2, { enabled: false })), false)).toBe(true)
  })
})
