import { contract } from '@leitstand/contract'
import type { AccessRule } from '@leitstand/contract/permissions'
import { isContractProcedure } from '@orpc/contract'
import { describe, expect, test } from 'vitest'

interface Operation {
  name: string
  meta: { rule?: AccessRule }
  route: { method?: string; path?: string; summary?: string; tags?: readonly string[] }
}

function operationsOf(router: object, path: string[] = []): Operation[] {
  return Object.entries(router).flatMap(([name, entry]: [string, object]) => {
    const here = [...path, name]
    if (!isContractProcedure(entry)) return operationsOf(entry, here)
    const { meta, route } = entry['~orpc']
    return [{ name: here.join('.'), meta: meta as Operation['meta'], route }]
  })
}

const operations = operationsOf(contract)

/** Operations allowed without a session. Adding one is a decision, so it is listed here too. */
const publicOperations = [
  'auth.login',
  'auth.verify',
  'brand.ofHost',
  'brand.page',
  'exchange.token',
  'exportSchedules.file',
  'password.forgot',
  'password.policy',
  'password.reset',
  'ruleMail.answer',
  'ruleMail.question',
  'shared.children',
  'shared.dashboard',
  'shared.dashboardData',
  'shared.floorPlan',
  'shared.floors',
  'shared.geoClusterBreakOpen',
  'shared.geoClusters',
  'shared.geoMetaInfos',
  'shared.localMap',
  'shared.mapSettings',
  'shared.open',
  'shared.series',
  'shared.states',
  'shared.twin',
  'shared.unlock',
  'sso.confirm',
  'sso.oauth2Buttons',
  'sso.oidcButtons',
  'terms.ofDomain',
]

describe('every operation of the contract', () => {
  test('states a permission rule', () => {
    expect(operations.filter(({ meta }) => meta.rule === undefined).map(({ name }) => name)).toEqual([])
    const empty = operations.filter(({ meta }) => typeof meta.rule === 'object' && meta.rule.any.length === 0)
    expect(empty.map(({ name }) => name)).toEqual([])
  })

  test('is closed to strangers unless it is one of the few public ones', () => {
    const open = operations.filter(({ meta }) => meta.rule === 'public').map(({ name }) => name)
    expect(open.sort()).toEqual(publicOperations)
  })

  test('has a method, a path, a summary and a tag, and its address is its own', () => {
    for (const { name, route } of operations) {
      expect({ name, ...route }).toMatchObject({
        method: expect.any(String),
        path: expect.stringMatching(/^\//),
        summary: expect.any(String),
        tags: [expect.any(String)],
      })
    }
    const addresses = operations.map(
      ({ route }) => `${route.method} ${route.path?.replace(/\{[^}]+\}/g, '{}')}`,
    )
    expect(addresses.filter((address, index) => addresses.indexOf(address) !== index)).toEqual([])
  })
})
