import { expect, test } from 'vitest'
import { os } from './implement.ts'
import { joinRoutes } from './router.ts'

const listRules = os.acl.listRules.handler(() => ({ subjects: [], actions: [] }))
const rules = os.system.rules.handler(() => ({ items: [] }))

test('a key two features have holds the operations of both', () => {
  const joined = joinRoutes([{ acl: { listRules } }, { acl: { rules }, system: { rules } }])
  expect(joined).toEqual({ acl: { listRules, rules }, system: { rules } })
})

test('two handlers for one operation are refused', () => {
  expect(() => joinRoutes([{ acl: { listRules } }, { acl: { listRules } }])).toThrow('acl.listRules')
  expect(() => joinRoutes([{ acl: { listRules } }, { acl: listRules }])).toThrow('acl')
})
