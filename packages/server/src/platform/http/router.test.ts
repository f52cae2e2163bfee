import { expect, test } from 'vitest'
import { os } from './implement.ts'
import { joinRoutes } from './router.ts'

const listRules = os.acl.listRules.handler(() => ({ subjects: [], actions: [] }))
const rules = os.module.rules.handler(() => ({ items: [] }))

test('a key of two features is refused, unless it is shared', () => {
  const parts = [{ acl: { listRules } }, { acl: { rules }, system: { rules } }]
  expect(() => joinRoutes(parts)).toThrow('acl')
  expect(joinRoutes(parts, ['acl'])).toEqual({ acl: { listRules, rules }, system: { rules } })
})

test('two handlers for one operation are refused', () => {
  const twice = (second: object) => () => joinRoutes<object>([{ acl: { listRules } }, second], ['acl'])
  expect(twice({ acl: { listRules } })).toThrow('acl.listRules')
  expect(twice({ acl: listRules })).toThrow('acl')
})
