import { beforeAll, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { createTwin } from '../../../../test/twins.ts'

interface Place {
  id: number
  scopeId: number
}

const technician = 0
const employee = 1
let app: TestApp
let city: Place
let works: Place
let elsewhere: Place
let roleId: number
/** A user of the works. */
let api: Api

beforeAll(async () => {
  app = await startApp()
  city = await createAccount(app, { name: 'City' })
  works = await createAccount(app, { name: 'Works', parent: city })
  elsewhere = await createAccount(app, { name: 'Elsewhere' })
  roleId = await roleNamed(app, 'Device manager')
  ;({ api } = await createUser(app, works, [{ roleId }]))
})

/** A user who never signs in. */
const member = async (account: Place, firstName: string): Promise<number> => {
  const name = { username: firstName.toLowerCase(), first_name: firstName, last_name: 'Meyer' }
  const { id } = await app.ctx.db
    .insertInto('users')
    .values({ account_id: account.id, email: `${firstName}@example.org`, ...name })
    .returning('id')
    .executeTakeFirstOrThrow()
  const access = { user_id: id, scope_id: account.scopeId, role_id: roleId, is_main: true }
  await app.ctx.db.insertInto('user_access').values(access).execute()
  return id
}
const device = () => createTwin(app, works, { category: 'virtualDevice' })

test('users are made responsible, the same one for both, and relieved; the activity log names them', async () => {
  const { id } = await device()
  const anna = await member(works, 'Anna')
  await api.userRelation.create({ id, userId: anna, responsibility: technician })
  const { items } = await api.userRelation.create({ id, userId: anna, responsibility: employee })
  const both = { userId: anna, name: 'Anna Meyer', active: true }
  expect(items).toEqual([
    { ...both, responsibility: employee },
    { ...both, responsibility: technician },
  ])
  await api.userRelation.delete({ id, userId: anna, responsibility: employee })
  expect(await api.userRelation.list({ id })).toEqual({ items: [{ ...both, responsibility: technician }] })
  const entries = await app.ctx.db
    .selectFrom('activities')
    .select('changes')
    .where('subject', '=', 'VirtualDevice')
    .where('object_id', '=', id)
    .orderBy('id')
    .execute()
  expect(entries.map(({ changes }) => changes)).toEqual([
    { serviceTechnician: [null, 'Anna Meyer'] },
    { responsibleEmployee: [null, 'Anna Meyer'] },
    { responsibleEmployee: ['Anna Meyer', null] },
  ])
})

test('the same responsibility twice is refused, and one that is not there cannot be taken away', async () => {
  const { id } = await device()
  const userId = await member(works, 'Berta')
  const relation = { id, userId, responsibility: technician }
  expect(await errorOf(api.userRelation.delete(relation))).toMatchObject({ code: 'USER_RELATION_NOT_FOUND' })
  await api.userRelation.create(relation)
  expect(await errorOf(api.userRelation.create(relation))).toMatchObject({ code: 'USER_RELATION_DUPLICATE' })
})

test('offered is who has a role that reaches the object, as far as the caller sees it', async () => {
  const { id } = await device()
  const above = await member(city, 'Clara')
  const own = await member(works, 'Dora')
  const strange = await member(elsewhere, 'Emil')
  const gone = await member(works, 'Frieda')
  await app.ctx.db.updateTable('users').set({ active: false }).where('id', '=', gone).execute()
  const offered = async (asking: typeof api, search: string) =>
    (await asking.userRelation.candidates({ id, search })).items.map(({ userId }) => userId)
  expect(await offered(api, 'Dora')).toEqual([own])
  expect(await offered(api, 'Clara')).toEqual([])
  expect(await offered(app.api, 'Clara')).toEqual([above])
  for (const userId of [strange, gone, above]) {
    const refused = await errorOf(api.userRelation.create({ id, userId, responsibility: employee }))
    expect(refused).toMatchObject({ code: 'USER_NOT_FOUND', status: 404 })
  }
  const hidden = await createTwin(app, elsewhere, { category: 'virtualDevice' })
  expect(await errorOf(api.userRelation.list(hidden))).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
})

test('a user who can no longer sign in stays listed as gone; a deleted user does not', async () => {
  const { id } = await device()
  const heinz = await member(works, 'Heinz')
  await api.userRelation.create({ id, userId: heinz, responsibility: employee })
  await app.ctx.db.deleteFrom('user_access').where('user_id', '=', heinz).execute()
  expect((await api.userRelation.list({ id })).items).toMatchObject([{ name: 'Heinz Meyer', active: false }])
  await app.ctx.db.deleteFrom('users').where('id', '=', heinz).execute()
  expect((await api.userRelation.list({ id })).items).toEqual([])
})

test('an object has at most 50 responsible users', async () => {
  const { id } = await device()
  const userId = await member(works, 'Ida')
  const at = app.ctx.clock.now()
  const others = await app.ctx.db
    .insertInto('users')
    .values(
      Array.from({ length: 50 }, (_, index) => ({
        account_id: works.id,
        username: `many${index}`,
        email: `many${index}@example.org`,
      })),
    )
    .returning('id')
    .execute()
  await app.ctx.db
    .insertInto('twin_user_relations')
    .values(
      others.map((other) => ({ twin_id: id, user_id: other.id, responsibility: employee, created_at: at })),
    )
    .execute()
  expect(await errorOf(api.userRelation.create({ id, userId, responsibility: technician }))).toMatchObject({
    code: 'USER_RELATION_LIMIT',
  })
})
