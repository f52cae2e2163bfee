import { applicationScopes } from '@leitstand/contract/applications'
import { describe, expect, it } from 'vitest'
import { shownScopes } from './scopes.ts'

const shown = (...scopes: Parameters<typeof shownScopes>[0]) => shownScopes(scopes).map(({ scope }) => scope)

describe('what is shown of what an application asks for', () => {
  it('who somebody is stands first, then what changes something, then what only reads', () => {
    expect(shown('devices.read', 'twins.manage', 'email', 'openid')).toEqual([
      ...['openid', 'email'],
      ...['twins.manage', 'devices.read'],
    ])
  })

  it('reading is not named where managing is, and nothing is where everything is', () => {
    expect(shown('devices.read', 'devices.manage')).toEqual(['devices.manage'])
    expect(shown(...applicationScopes)).toEqual(['openid', 'profile', 'email', 'all'])
  })
})
