import { beforeAll, expect, test } from 'vitest'
import { createAccount, createUser, roleNamed, startApp, type TestApp } from '../../../test/kit.ts'
import { createDevice } from '../../../test/pipeline.ts'

const logins = 50

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})

test('fifty who sign in at once hold up no device: what it sends is stored before they are in', async () => {
  const account = await createAccount(app)
  const roleId = await roleNamed(app, 'Viewer')
  const users: string[] = []
  for (let n = 0; n < logins; n++) users.push((await createUser(app, account, [{ roleId }])).username)
  const connector = await app.api.bridge.create({
    accountId: app.rootAccountId,
    kind: 'webhook-in',
    name: 'Webhook',
    settings: { preset: 'standard' },
  })
  const owner = { id: connector.id, accountId: app.rootAccountId, scopeId: app.rootScopeId }
  await createDevice(app, owner, 'A1')

  const order: string[] = []
  const all = users.map((username) => app.login(username).then(() => order.push('login')))
  // Each message is acknowledged before the next is sent, as long as sign-ins are pending.
  const sent: number[] = []
  while (!order.includes('login') || sent.length === 0) {
    const reply = await fetch(`${app.url}/api/hooks/${connector.key}`, {
      method: 'POST',
      body: JSON.stringify({ identifier: 'A1', data: { n: sent.length } }),
      headers: { 'content-type': 'application/json' },
    })
    sent.push(reply.status)
    order.push('message')
  }
  await Promise.all(all)
  expect(new Set(sent)).toEqual(new Set([200]))
  expect(order.filter((one) => one === 'login')).toHaveLength(logins)
  expect(order.indexOf('message')).toBeLessThan(order.lastIndexOf('login'))
  const { count } = await app.ctx.db
    .selectFrom('packets')
    .select((all) => all.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  expect(Number(count)).toBe(sent.length)
})
