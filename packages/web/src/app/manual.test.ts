import { describe, expect, it } from 'vitest'
import { helpFor } from '../features/help/pure.ts'
import { screens } from './routes.ts'

describe('the manual', () => {
  it('has something to say about every screen with a menu', () => {
    const built = screens.filter(({ layout, load }) => layout === 'shell' && load !== undefined)
    expect(built.filter(({ path }) => helpFor(path) === undefined).map(({ path }) => path)).toEqual([])
  })

  it('knows the more precise of two places', () => {
    expect(helpFor('/account-mgmt-roles')).toBe('roles')
    expect(helpFor('/account-mgmt/user/3/4')).toBe('accounts')
    expect(helpFor('/virtual-device-groups/7')).toBe('templates')
  })
})
