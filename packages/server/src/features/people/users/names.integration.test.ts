import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  createAccount,
  createApi,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  testPassword,
} from '../../../../test/kit.ts'
import { hiddenConflicts } from './probing.ts'

const clock = new FakeClock()
const app = await startApp({ clock })
let serial = 0
const person = (part: { username?: string; email?: string } = {}) => {
  const username = `name${++serial}`
  return {
    username,
    email: `${username}@example.net`,
    firstName: 'Ada',
    lastName: 'Amsel',
    ...part,
  }
}
async function administered() {
  const account = await createAccount(app)
  const roleId = await roleNamed(app, 'Account administrator')
  return { account, ...(await createUser(app, account, [{ roleId }])) }
}
const duplicate = { code: 'USER_DUPLICATE', status: 409 }

test("a user name that is another user's address is refused, and an address that is another's name", async () => {
  const victim = await administered()
  const { account, api } = await administered()
  const address = `${victim.username}@example.org`
  for (const username of [address, address.toUpperCase(), ` ${address} `]) {
    const thief = api.user.create({ ...person({ username }), accountId: account.id })
    expect(await errorOf(thief)).toMatchObject(duplicate)
  }
  // Full-width letters normalise to the same name.
  const wide = [...address]
    .map((c) => (/[a-z]/.test(c) ? String.fromCharCode(c.charCodeAt(0) + 0xfee0) : c))
    .join('')
  expect(
    await errorOf(api.user.create({ ...person({ username: wide }), accountId: account.id })),
  ).toMatchObject(duplicate)
  const named = await api.user.create({ ...person({ username: 'later@example.com' }), accountId: account.id })
  const taken = api.user.create({ ...person({ email: 'Later@example.com' }), accountId: account.id })
  expect(await errorOf(taken)).toMatchObject({ ...duplicate, data: { field: 'email' } })
  expect(await errorOf(api.user.update({ ...named, username: address }))).toMatchObject(duplicate)
  // The victim still signs in, and a forgotten password goes to the victim.
  await app.login(address)
  await createApi(app.url).password.forgot({ email: address })
  await app.drain()
  const { items } = await app.api.mail.list({ limit: 1 })
  expect(items[0]?.recipients).toEqual([address])
})

test('the own address may be the own user name', async () => {
  const { account, api } = await administered()
  const both = await api.user.create({
    ...person({ username: 'Own@example.com', email: 'own@example.com' }),
    accountId: account.id,
  })
  await api.user.update({ ...both, username: 'other name' })
  expect(
    await errorOf(createApi(app.url).auth.login({ username: 'own@example.com', password: testPassword })),
  ).toMatchObject({
    code: 'AUTH_LOGIN_PASSWORD_MISMATCH',
  })
})

test('of two who save the same name at once one gets it', async () => {
  const { account, api } = await administered()
  const name = 'contested@example.com'
  const answers = await Promise.allSettled([
    api.user.create({ ...person({ username: name }), accountId: account.id }),
    api.user.create({ ...person({ email: name }), accountId: account.id }),
  ])
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('nobody can write a name past the API either', async () => {
  const victim = await administered()
  const { id } = await administered()
  const steal = app.ctx.db
    .updateTable('users')
    .set({ username: `${victim.username}@EXAMPLE.org` })
    .where('id', '=', id)
    .execute()
  await expect(steal).rejects.toMatchObject({ constraint: 'users_username' })
})

test('checking new users tells nothing of users the caller does not see; saving does, a few times', async () => {
  const hidden = await administered()
  const { account, api } = await administered()
  const seen = await api.user.create({ ...person(), accountId: account.id })
  const address = `${hidden.username}@example.org`
  const users = [person({ email: address }), person({ email: seen.email }), person({ username: address })]
  const { faults } = await api.user.validate({ accountId: account.id, users })
  expect(faults).toMatchObject([
    { row: 1, code: 'USER_DUPLICATE' },
    { row: 2, code: 'USER_DUPLICATE_IN_LIST' },
  ])
  const save = (email: string) => api.user.create({ ...person({ email }), accountId: account.id })
  // The error does not reveal whether it was the name or the address.
  const refused = await errorOf(save(address))
  expect(refused).toMatchObject(duplicate)
  expect(refused.data).not.toHaveProperty('field')
  const answers = await Promise.all(
    Array.from({ length: hiddenConflicts.burst * 2 }, () => errorOf(save(address))),
  )
  expect(answers.filter(({ code }) => code === 'USER_DUPLICATE')).toHaveLength(hiddenConflicts.burst - 1)
  // Then every name is refused, including free ones.
  expect(await errorOf(save('free@example.com'))).toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  const { faults: all } = await api.user.createMany({
    accountId: account.id,
    users: [person(), person({ email: address })],
  })
  expect(all.map(({ code }) => code)).toEqual(['TOO_MANY_REQUESTS', 'TOO_MANY_REQUESTS'])
  // Conflicts with users the caller sees do not count.
  clock.advance(1000 / hiddenConflicts.perSecond)
  for (let n = 0; n < hiddenConflicts.burst; n++)
    expect(await errorOf(save(seen.email))).toMatchObject({ ...duplicate, data: { field: 'email' } })
})

test('an upgrade gives names that are taken twice to the owner of the address, and says what it changed', async () => {
  const { account, id, username } = await administered()
  const { db, pool } = app.ctx
  const owner = await administered()
  const migration = readFileSync(
    join(import.meta.dirname, '../../../../migrations/0042_names_and_mails.sql'),
    'utf8',
  )
  const names = migration.slice(
    migration.indexOf('-- Who has an address'),
    migration.indexOf('-- Every way of'),
  )
  await pool.query('alter table users disable trigger users_login_names')
  await pool.query('delete from login_names')
  await db
    .updateTable('users')
    .set({ username: `${owner.username}@example.org` })
    .where('id', '=', id)
    .execute()
  await pool.query(names)
  await pool.query('alter table users enable trigger users_login_names')
  const row = await db.selectFrom('users').select('username').where('id', '=', id).executeTakeFirstOrThrow()
  expect(row.username).toBe(`${owner.username}@example.org-2`)
  const { items } = await app.api.activityLog.list({ objectId: id, subject: 'User' })
  expect(items[0]).toMatchObject({
    userName: 'upgrade',
    accountId: account.id,
    changes: { username: [`${owner.username}@example.org`, `${owner.username}@example.org-2`] },
  })
  // All other names are unchanged, and all users can sign in.
  await app.login(`${owner.username}@example.org`)
  await app.login(`${username}@example.org`)
})
