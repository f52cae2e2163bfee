import type { RoleRule } from '@leitstand/contract/permissions'
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { fuzzing } from '../../../test/fuzz.ts'
import { createAccount, createRole, createUser, startApp, type TestApp } from '../../../test/kit.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { Rights } from '../rights/index.ts'
import { hashToken } from './sessions.ts'

/** The server on which changes are made, and another on the same database, which only gets notified. */
let app: TestApp
let other: TestApp
/** a third one that forgets everything before it is asked */
let fresh: TestApp
const users: { id: number; token: string }[] = []
const keyHashes: string[] = []
const roles: number[] = []
const rules: RoleRule[][] = [
  [{ subject: 'all', actions: ['manage'] }],
  [{ subject: 'VirtualDevice', actions: ['read'] }],
  [{ subject: 'Dashboards', actions: ['read'], inverted: true }],
  [],
]

beforeAll(async () => {
  app = await startApp()
  other = await startApp({ address: app.address })
  fresh = await startApp({ address: app.address })
  for (const each of rules) roles.push(await createRole(app, each))
  let parent: Awaited<ReturnType<typeof createAccount>> | undefined
  for (const roleId of roles) {
    parent = await createAccount(app, parent ? { parent } : {})
    users.push(await createUser(app, parent, [{ roleId }]))
    const { scopeId } = parent
    const { token } = await app.api.apikey.create({
      scopeId,
      roleId,
      title: 'Key',
      callsPerMinute: 60,
      validFrom: null,
      validUntil: null,
    })
    keyHashes.push(hashToken(token).toString('base64'))
  }
})

let serial = 0
type Numbers = readonly [number, number, number]
const pick = <T>(from: readonly T[], number: number): T => {
  const found = from[number % from.length]
  if (found === undefined) throw new Error('nothing to pick from')
  return found
}
const idsOf = async (db: Executor, query: ReturnType<typeof sql<{ id: number }>>) =>
  (await query.execute(db)).rows.map(({ id }) => id)
/** Accounts other than that of the installation, which everything else is below. */
const accountsIn = (db: Executor) =>
  idsOf(db, sql`select id from accounts where parent_id is not null order by id`)
const scopesIn = (db: Executor) =>
  idsOf(db, sql`select id from scopes where parent_id is not null order by id`)
const twinScopesIn = (db: Executor) =>
  idsOf(db, sql`select id from scopes where twin_id is not null order by id`)

/** What may happen; each does nothing where it is not possible. */
const changes: Record<string, (tx: Executor, numbers: Numbers) => Promise<unknown>> = {
  makeAccount: async (tx, [a]) =>
    sql`
      with parent as (
        select account_id, id from scopes where twin_id is null and account_id = ${pick(await accountsIn(tx), a)}),
      made as (
        insert into accounts (parent_id, name, time_zone) select account_id, ${`New ${++serial}`}, 'Europe/Berlin' from parent
        returning id, parent_id)
      insert into scopes (account_id, parent_id, name) select made.id, parent.id, 'New' from made, parent`.execute(
      tx,
    ),
  moveAccount: async (tx, [a, b]) => {
    const accounts = await accountsIn(tx)
    const [id, to] = [pick(accounts, a), pick(accounts, b)]
    const { rows } = await sql`
      with recursive up as (
        select id, parent_id from accounts where id = ${to}
        union all select a.id, a.parent_id from accounts a join up on a.id = up.parent_id)
      select from up where id = ${id}`.execute(tx)
    if (rows.length > 0) return
    await sql`update accounts set parent_id = ${to} where id = ${id}`.execute(tx)
    await sql`
      update scopes s set parent_id = p.id from scopes p
      where s.account_id = ${id} and s.twin_id is null and p.account_id = ${to} and p.twin_id is null`.execute(
      tx,
    )
  },
  deleteAccount: (tx) =>
    sql`
      delete from accounts a where id = (
        select max(id) from accounts where name like 'New %' and not exists (
          select from accounts c where c.parent_id = accounts.id)
        and not exists (select from twins t where t.account_id = accounts.id)
        and not exists (select from users u where u.account_id = accounts.id)
        and not exists (
          select from scopes c join scopes p on p.id = c.parent_id where p.account_id = accounts.id))`.execute(
      tx,
    ),
  makeScope: async (tx, [a]) => {
    const parent = pick(await scopesIn(tx), a)
    const { rows } = await sql<{ id: number; accountId: number }>`
      insert into twins (category, account_id, scope_id, title)
      select 'digitalTwin', account_id, id, 'Hall' from scopes where id = ${parent}
      returning id, account_id as "accountId"`.execute(tx)
    for (const { id, accountId } of rows)
      await sql`
        insert into scopes (account_id, parent_id, twin_id, name) values (${accountId}, ${parent}, ${id}, 'Hall')`.execute(
        tx,
      )
  },
  renameScope: async (tx, [a, b]) =>
    sql`update scopes set name = ${`Hall ${b}`} where id = ${pick(await scopesIn(tx), a)}`.execute(tx),
  moveScope: async (tx, [a, b]) => {
    const [scopes, targets] = [await twinScopesIn(tx), await scopesIn(tx)]
    if (scopes.length === 0) return
    const [id, to] = [pick(scopes, a), pick(targets, b)]
    const { rows } = await sql`
      with recursive up as (
        select id, parent_id from scopes where id = ${to}
        union all select s.id, s.parent_id from scopes s join up on s.id = up.parent_id)
      select from up where id = ${id}`.execute(tx)
    if (rows.length === 0) await sql`update scopes set parent_id = ${to} where id = ${id}`.execute(tx)
  },
  deleteScope: (tx, [a]) =>
    sql`
      delete from scopes where id = (
        select id from scopes s where twin_id is not null and not exists (
          select from scopes c where c.parent_id = s.id)
        and not exists (select from twins t where t.scope_id = s.id)
        order by id desc offset ${a % 3} limit 1)`.execute(tx),
  editRole: async (tx, [a, b]) =>
    sql`update roles set rules = ${JSON.stringify(pick(rules, b))} where id = ${pick(roles, a)}`.execute(tx),
  renameRole: async (tx, [a, b]) =>
    sql`update roles set name = ${`Role ${a} of ${b}`} where id = ${pick(roles, a)}`.execute(tx),
  give: async (tx, [a, b, c]) =>
    sql`
      insert into user_access (user_id, scope_id, role_id)
      values (${pick(users, a).id}, ${pick(await scopesIn(tx), b)}, ${pick(roles, c)}) on conflict do nothing`.execute(
      tx,
    ),
  take: (tx, [a, b]) =>
    sql`
      delete from user_access where id = (
        select id from user_access where user_id = ${pick(users, a).id} order by id offset ${b % 2} limit 1)`.execute(
      tx,
    ),
  turnModule: async (tx, [a, b, c]) =>
    sql`
      insert into account_modules (account_id, module, enabled, updated_at)
      values (${pick(await accountsIn(tx), a)}, ${pick(['dashboards', 'facility'], b)}, ${c % 2 === 0}, now())
      on conflict (account_id, module) do update set enabled = excluded.enabled`.execute(tx),
  demand: async (tx, [a, b]) =>
    sql`
      update accounts set two_factor_required = ${b % 2 === 0} where id = ${pick(await accountsIn(tx), a)}`.execute(
      tx,
    ),
  transfer: async (tx, [a, b]) =>
    sql`update users set account_id = ${pick(await accountsIn(tx), b)} where id = ${pick(users, a).id}`.execute(
      tx,
    ),
}

/** What a server knows of everybody. */
async function known({ app: { people } }: TestApp) {
  const may = (rights: Pick<Rights, 'scopeIds'> | null) => [
    rights?.scopeIds('VirtualDevice', 'manage'),
    rights?.scopeIds('Dashboards', 'read'),
  ]
  const ofUsers = users.map(async ({ id, token }) => {
    const caller = await people.authenticate(token, '')
    if (!caller) throw new Error('signed out')
    const { scopes } = await people.rightsOf(caller)
    return { scopes, may: may(await people.standingOf({ userId: id })), waits: caller.needsTwoFactor }
  })
  const ofKeys = keyHashes.map(async (keyHash) => may(await people.standingOf({ userId: null, keyHash })))
  return Promise.all([...ofUsers, ...ofKeys])
}

/** Several changes, each with what it picks, in one transaction. */
const steps = fc.array(
  fc.array(fc.tuple(fc.constantFrom(...Object.keys(changes)), fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99))), {
    minLength: 1,
    maxLength: 3,
  }),
  { minLength: 25, maxLength: 25 },
)

test('what nodes know of rights is what is in the database, whatever is changed', async () => {
  const property = fc.asyncProperty(steps, async (all) => {
    for (const step of all) {
      await app.ctx.db.transaction().execute(async (tx) => {
        for (const [name, numbers] of step) await changes[name]?.(tx, numbers)
      })
      for (const { ctx } of [app, other]) await ctx.configChanges.settle()
      fresh.app.people.forgetRights()
      const actual = await known(fresh)
      expect(await known(app), JSON.stringify(step)).toEqual(actual)
      expect(await known(other), JSON.stringify(step)).toEqual(actual)
    }
  })
  await fc.assert(property, fuzzing(2))
})
