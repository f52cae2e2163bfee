import { describe, expect, test } from 'vitest'
import { openBrowser, refusal } from '../../../test/browser.ts'

const browser = openBrowser()
const { dependenciesOf } = await import('./ask.ts')
const { dependencyPath } = await import('../../ui/feedback/ConfirmDanger.tsx')

const item = (change: object) => ({
  kind: 'rule',
  id: 5,
  title: 'Zu warm',
  owner: null,
  notes: [],
  ...change,
})
const uses = (items: object[], change: object = {}) => ({
  items,
  groups: [],
  total: items.length,
  hidden: false,
  ...change,
})

describe('what uses a twin', () => {
  test('is asked for with a page that a dialog can show', async () => {
    browser.answer('GET /digitaltwin/3/uses', uses([]))
    await expect(dependenciesOf('twin', 3)).resolves.toEqual({ blocking: false, more: false, items: [] })
    expect(browser.calls[0]).toMatchObject({ route: 'GET /digitaltwin/3/uses', query: { limit: '20' } })
  })

  test.each([
    ['a rule does not keep it', item({ kind: 'rule' }), false],
    ['a computed state does', item({ kind: 'state' }), true],
    ['a device below does', item({ kind: 'virtualDevice' }), true],
    ['a twin below does', item({ kind: 'digitalTwin', notes: ['child'] }), true],
    ['another twin does not', item({ kind: 'digitalTwin' }), false],
    ['a dashboard does not', item({ kind: 'dashboard' }), false],
  ])('%s', async (_name, user, blocking) => {
    browser.answer('GET /digitaltwin/3/uses', uses([user]))
    const found = await dependenciesOf('twin', 3)
    expect(found.blocking).toBe(blocking)
    expect(found.items.map((each) => each.blocking)).toEqual([blocking])
  })

  test.each([
    [{ total: 21 }, true],
    [{ hidden: true }, true],
    [{}, false],
  ])('there is more with %j: %s', async (change, more) => {
    browser.answer('GET /digitaltwin/3/uses', uses([item({})], change))
    expect((await dependenciesOf('twin', 3)).more).toBe(more)
  })

  test('that cannot be read does not look like nothing', async () => {
    browser.answer('GET /digitaltwin/3/uses', () => refusal(500, 'INTERNAL'))
    await expect(dependenciesOf('twin', 3)).rejects.toMatchObject({ status: 500 })
  })
})

describe('the page of something that uses an object', () => {
  const dependency = (kind: string, owner?: object) => ({
    kind,
    id: 5,
    title: '',
    blocking: false,
    ...(owner ? { owner } : {}),
  })
  type Dependency = Parameters<typeof dependencyPath>[0]
  test.each([
    [dependency('twin'), '/digitaltwin-mgmt/5'],
    [dependency('virtualDevice'), '/virtual-devices/5'],
    [dependency('dashboard'), '/dashboards/5'],
    [dependency('rule', { kind: 'twin', id: 7 }), '/digitaltwin-mgmt/7'],
    [dependency('aggregate', { kind: 'virtualDevice', id: 8 }), '/virtual-devices/8'],
    [dependency('scopeUser', { kind: 'account', id: 9 }), '/account-mgmt/user/9/5'],
    [dependency('scopeKey', { kind: 'account', id: 9 }), '/account-mgmt/9?tab=keys'],
    [dependency('scopeSignOn', { kind: 'account', id: 9 }), '/account-mgmt/9?tab=sso'],
    [dependency('rule'), null],
  ])('%j is %s', (given, path) => {
    expect(dependencyPath(given as unknown as Dependency)).toBe(path)
  })
})
