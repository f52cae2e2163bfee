import { applicationScopes } from '@leitstand/contract/applications'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kindOf, shownScopes } from './scopes.ts'

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
    expect(shown(...applicationScopes)).toEqual(['openid', 'profile', 'email', 'grafana', 'all'])
  })
})

describe('levels', () => {
  it.each([
    ['openid', 'identity'],
    ['profile', 'identity'],
    ['email', 'identity'],
    ['all', 'all'],
    ['devices.manage', 'manage'],
    ['devices.read', 'read'],
  ] as const)('%s is of level %s', (scope, kind) => {
    expect(kindOf(scope)).toBe(kind)
  })

  it('nothing that is asked for is hidden, unless something shown includes it', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...applicationScopes)), (scopes) => {
        const visible = shown(...scopes)
        for (const scope of visible) expect(scopes).toContain(scope)
        for (const scope of scopes.filter((each) => !visible.includes(each))) {
          const manage = scope.replace('.read', '.manage')
          expect(visible.includes('all') || (visible as string[]).includes(manage)).toBe(true)
        }
      }),
    )
  })

  it('the order does not depend on the order of the request, as far as levels go', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...applicationScopes]), (scopes) => {
        const levels = shownScopes(scopes).map(({ kind }) =>
          ['identity', 'all', 'manage', 'read'].indexOf(kind),
        )
        expect(levels).toEqual(levels.toSorted((a, b) => a - b))
      }),
    )
  })
})
