import type { RoleRule } from '@leitstand/contract/permissions'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAccount, createRole, createUser, startApp, type TestApp } from '../../../test/kit.ts'
import { relyingParty, tokensFor } from '../../../test/oauth.ts'
import { freePort } from '../../../test/ports.ts'
import { createTwin } from '../../../test/twins.ts'
import { accountScopes, insertAccess, twinScopes } from '../rights/index.ts'
import { hashToken } from './sessions.ts'

/** The server on which changes are made, and another on the same database, which only gets notified. */
let app: TestApp
let other: TestApp
type Account = Awaited<ReturnType<typeof createAccount>>
/** A reseller with two customers, one of which has a branch, and somebody who has nothing to do with them. */
let accounts: Record<'reseller' | 'customer' | 'branch' | 'neighbour' | 'stranger', Account>
/** held in the customer by its user and its key, and by the stranger */
let shared: number
/** held by everybody else */
let usual: number
/** ids of the user of each account, and of the guest, who belongs to the stranger and has a role in the customer */
let users: Record<keyof typeof accounts | 'guest', number>

interface Way {
  name: string
  /** What a server knows of somebody; another object once it was read again. */
  known(server: TestApp): Promise<unknown>
}
const ways: Way[] = []

const reading: RoleRule[] = [{ subject: 'all', actions: ['read'] }]

beforeAll(async () => {
  const port = await freePort()
  app = await startApp({ config: { port, publicUrl: `http://127.0.0.1:${port}` } })
  other = await startApp({ address: app.address })
  const reseller = await createAccount(app, { name: 'Reseller' })
  const customer = await createAccount(app, { name: 'Customer', parent: reseller })
  const branch = await createAccount(app, { name: 'Branch', parent: customer })
  const neighbour = await createAccount(app, { name: 'Neighbour', parent: reseller })
  const stranger = await createAccount(app, { name: 'Stranger' })
  accounts = { reseller, customer, branch, neighbour, stranger }
  shared = await createRole(app, reading)
  usual = await createRole(app, reading)
  const person = async (name: string, account: Account, roleId: number, { scopeId } = account) => {
    const { id, token } = await createUser(app, account, [{ roleId, scopeId }])
    ways.push({ name, known: ({ app: { people } }) => people.standingOf({ userId: id }) })
    return { id, token }
  }
  const signedIn = (name: string, token: string) =>
    ways.push({
      name,
      known: async ({ app: { people } }) => (await people.authenticate(token, ''))?.grounds?.[0],
    })
  const key = async (name: string, account: Account, roleId: number) => {
    const { token } = await app.api.apikey.create({
      title: name,
      scopeId: account.scopeId,
      roleId,
      callsPerMinute: 60,
      validFrom: null,
      validUntil: null,
    })
    const keyHash = hashToken(token).toString('base64')
    ways.push({ name, known: ({ app: { people } }) => people.standingOf({ userId: null, keyHash }) })
  }
  const own = await person('customer', customer, shared)
  const away = await person('stranger', stranger, shared)
  users = {
    customer: own.id,
    stranger: away.id,
    reseller: (await person('reseller', reseller, usual)).id,
    branch: (await person('branch', branch, usual)).id,
    neighbour: (await person('neighbour', neighbour, usual)).id,
    guest: (await person('guest', stranger, usual, customer)).id,
  }
  await key('key of customer', customer, shared)
  await key('key of stranger', stranger, usual)
  signedIn('session of customer', own.token)
  signedIn('session of stranger', away.token)
  for (const [name, account, token] of [
    ['customer', customer, own.token],
    ['stranger', stranger, away.token],
  ] as const) {
    const redirectUri = 'https://grid.example.org/callback'
    const { application, secret } = await app.api.application.create({
      accountId: account.id,
      title: name,
      kind: 'confidential',
      redirectUris: [redirectUri],
      scopes: ['openid', 'devices.read'],
    })
    const party = await relyingParty(app, { clientId: application.clientId, secret, redirectUri })
    const { access_token: access } = await tokensFor(app, party, 'openid devices.read', token)
    signedIn(`application of ${name}`, access)
  }
})

/** Resolves when everything committed has arrived at both servers. */
const heard = () => Promise.all([app, other].map(({ ctx }) => ctx.configChanges.settle()))

/** Who is read again after a change, the same on both servers. */
async function readAgain(change: () => Promise<unknown>): Promise<string[]> {
  await heard()
  const known = (server: TestApp) => Promise.all(ways.map((way) => way.known(server)))
  const before = [await known(app), await known(other)]
  expect(before.flat()).not.toContain(undefined)
  await change()
  await heard()
  const [here, there] = [await known(app), await known(other)].map((after, server) =>
    ways.filter((_way, index) => after[index] !== before[server]?.[index]).map(({ name }) => name),
  )
  expect(there).toEqual(here)
  return here?.toSorted() ?? []
}

const run = (statement: ReturnType<typeof sql>) => statement.execute(app.ctx.db)
/** Makes a scope for a twin in an account. */
async function makeScope({ id: accountId, scopeId: parentId }: Account): Promise<number> {
  const { id: twinId, title: name } = await createTwin(app, { id: accountId, scopeId: parentId })
  return twinScopes.add(app.ctx.db, { accountId, parentId, twinId, name })
}
/** Those who have a role in the customer or above. */
const ofCustomer = ['application of customer', 'customer', 'guest', 'key of customer', 'reseller']

describe('after a change of scopes', () => {
  let scope = 0
  test('those who have them, or get them, are read again', async () => {
    const { customer } = accounts
    expect(await readAgain(async () => (scope = await makeScope(customer)))).toEqual(ofCustomer)
    const inner = await makeScope(customer)
    expect(await readAgain(() => run(sql`update scopes set name = 'Hall' where id = ${scope}`))).toEqual(
      ofCustomer,
    )
    const move = sql`update scopes set parent_id = ${scope} where id = ${inner}`
    expect(await readAgain(() => run(move))).toEqual(ofCustomer)
    expect(await readAgain(() => run(sql`delete from scopes where id = ${inner}`))).toEqual(ofCustomer)
    expect(await readAgain(() => run(sql`delete from scopes where id = ${scope}`))).toEqual(ofCustomer)
  })

  test('nobody below is, nor anybody if nothing has changed', async () => {
    expect(await readAgain(() => makeScope(accounts.reseller))).toEqual(['reseller'])
    expect(await readAgain(() => run(sql`update scopes set name = name`))).toEqual([])
  })
})

describe('after a change of a role', () => {
  test('those who have it are read again, in whatever account', async () => {
    const { db } = app.ctx
    const rules = JSON.stringify([{ subject: 'VirtualDevice', actions: ['read'] }])
    expect(
      await readAgain(() => db.updateTable('roles').set({ rules }).where('id', '=', shared).execute()),
    ).toEqual(['customer', 'key of customer', 'stranger'])
  })

  test('nobody is for its name, nor for one that nobody has', async () => {
    expect(
      await readAgain(() => run(sql`update roles set name = name || ' x', version = version + 1`)),
    ).toEqual([])
    expect(await readAgain(() => createRole(app, reading))).toEqual([])
  })
})

describe('after a change of who has which role', () => {
  test('only these users are read again', async () => {
    const { branch, neighbour } = accounts
    const give = () =>
      insertAccess(app.ctx.db, {
        userId: users.neighbour,
        scopeId: branch.scopeId,
        roleId: usual,
        isMain: false,
      })
    expect(await readAgain(give)).toEqual(['neighbour'])
    const take = sql`delete from user_access where user_id = ${users.neighbour} and scope_id = ${branch.scopeId}`
    expect(await readAgain(() => run(take))).toEqual(['neighbour'])
    const pass = (to: number, isMain: boolean) =>
      run(
        sql`update user_access set user_id = ${to}, is_main = ${isMain} where scope_id = ${neighbour.scopeId}`,
      )
    expect(await readAgain(() => pass(users.branch, false))).toEqual(['branch', 'neighbour'])
    await pass(users.neighbour, true)
  })
})

describe('after a change of the modules of an account', () => {
  const turn = (account: Account, enabled: boolean) => () =>
    run(sql`
      insert into account_modules (account_id, module, enabled, updated_at)
      values (${account.id}, 'dashboards', ${enabled}, now())
      on conflict (account_id, module) do update set enabled = excluded.enabled`)

  test('those who have a role in it, above or below are read again', async () => {
    const { customer, reseller } = accounts
    const signedIn = ['session of customer']
    for (const enabled of [false, true]) {
      const below = [...ofCustomer, ...signedIn, 'branch']
      expect(await readAgain(turn(customer, enabled))).toEqual(below.toSorted())
      expect(await readAgain(turn(reseller, enabled))).toEqual([...below, 'neighbour'].toSorted())
    }
  })
})

describe('after a change of an account', () => {
  test('nobody is read again for its name or its settings', async () => {
    const change = sql`update accounts set name = name || ' x', retention_months = 7, version = version + 1`
    expect(await readAgain(() => run(change))).toEqual([])
  })

  test('those above are for a new one', async () => {
    expect(await readAgain(() => createAccountUnnoticed(accounts.customer))).toEqual(ofCustomer)
    expect(await readAgain(() => createAccountUnnoticed(accounts.stranger))).toEqual([
      'application of stranger',
      'key of stranger',
      'stranger',
    ])
  })

  test('those in it, above and below are if it demands a second factor', async () => {
    const demand = (required: boolean) => () =>
      run(sql`update accounts set two_factor_required = ${required} where id = ${accounts.customer.id}`)
    const concerned = [...ofCustomer, 'branch', 'session of customer'].toSorted()
    expect(await readAgain(demand(true))).toEqual(concerned)
    expect(await readAgain(demand(false))).toEqual(concerned)
  })

  test('those in it, below, and above in either place are if it is moved', async () => {
    const { customer, stranger, reseller } = accounts
    const move = (to: Account) => () =>
      app.ctx.db.transaction().execute(async (tx) => {
        await sql`update accounts set parent_id = ${to.id} where id = ${customer.id}`.execute(tx)
        await accountScopes.move(tx, customer.scopeId, to.scopeId)
      })
    const moved = ['branch', 'session of customer', 'application of stranger', 'key of stranger', 'stranger']
    const concerned = [...ofCustomer, ...moved].toSorted()
    expect(await readAgain(move(stranger))).toEqual(concerned)
    expect(await readAgain(move(reseller))).toEqual(concerned)
  })
})

/** Like `createAccount`, which makes the server forget everything. */
function createAccountUnnoticed(parent: Account) {
  return app.ctx.db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ id: number }>`
      insert into accounts (parent_id, name, time_zone) values (${parent.id}, 'New', 'Europe/Berlin')
      returning id`.execute(tx)
    const [account] = rows
    if (!account) throw new Error('no account')
    await accountScopes.add(tx, { accountId: account.id, parentId: parent.scopeId, name: 'New' })
  })
}
