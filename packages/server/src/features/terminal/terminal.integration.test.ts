import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Api,
  createAccount,
  createApi,
  createApiWith,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { relyingParty, tokensFor } from '../../../test/oauth.ts'
import { createConnector, createDevice } from '../../../test/pipeline.ts'
import { freePort } from '../../../test/ports.ts'

const clock = new FakeClock(new Date())
let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>

beforeAll(async () => {
  const port = await freePort()
  app = await startApp({ clock, config: { port, publicUrl: `http://127.0.0.1:${port}` } })
  account = await createAccount(app)
})

const root = () => ({ id: app.rootAccountId, scopeId: app.rootScopeId })
const run = (line: string, confirmation?: string, api: Api = app.api) =>
  api.terminal.run({ line, confirmation })
const recorded = async () => {
  const { items } = await app.api.activityLog.list({ subject: 'Terminal', limit: 1 })
  return items[0] && { line: items[0].objectTitle, changes: items[0].changes }
}

describe('commands that read', () => {
  it.each([
    'status',
    'queues',
    'consumers',
    'statements',
    'connectors',
    'nodes',
    'counts',
    'licences',
    'help',
  ])('%s answers at once, and the log has it', async (line) => {
    const { blocks, confirmation } = await run(` ${line}  `)
    expect(confirmation).toBeNull()
    expect(blocks.length).toBeGreaterThan(0)
    expect(await recorded()).toEqual({ line, changes: { step: 'run' } })
  })

  it('count what there is, and show connectors of all accounts', async () => {
    const connector = await createConnector(app, account.id, account.scopeId)
    await createDevice(app, connector, 'pump', null)
    const { blocks } = await run('counts')
    const rows = blocks.flatMap((block) => (block.kind === 'table' ? block.rows : []))
    expect(Object.fromEntries(rows as [string, number][])).toMatchObject({ devices: 1, connectors: 1 })
    expect(JSON.stringify((await run('connectors')).blocks)).toContain(account.name)
  })

  it('are listed with their arguments', async () => {
    const { items } = await app.api.terminal.commands()
    expect(items.find(({ name }) => name === 'revoke-sessions')).toEqual({
      name: 'revoke-sessions',
      argument: 'user',
      changes: true,
    })
  })
})

describe('commands that repair', () => {
  it('say what they would do, and do it when it is confirmed: revoke-sessions', async () => {
    const ada = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    await app.login(ada.username)
    const line = `revoke-sessions ${ada.username}`
    const preview = await run(line)
    expect(preview.blocks).toMatchObject([
      { message: 'wouldRevoke', values: { user: ada.username, count: 2 } },
    ])
    expect((await ada.api.auth.verify({})).isAuthenticated).toBe(true)
    const done = await run(line, preview.confirmation ?? '')
    expect(done).toMatchObject({ confirmation: null, blocks: [{ message: 'revoked', values: { count: 2 } }] })
    expect((await ada.api.auth.verify({})).isAuthenticated).toBe(false)
    expect(await recorded()).toEqual({ line, changes: { step: 'confirmed' } })
    const { items } = await app.api.activityLog.list({
      subject: 'User',
      action: 'endSession',
      objectId: ada.id,
    })
    expect(items).toMatchObject([{ userName: 'admin@localhost', changes: { ended: 2 } }])
    expect(await errorOf(run('revoke-sessions nobody'))).toMatchObject({ code: 'USER_NOT_FOUND' })
  })

  it('compute aggregated states again: rederive', async () => {
    const connector = await createConnector(app, account.id, account.scopeId)
    const device = await createDevice(app, connector, 'meter', null)
    const preview = await run(`rederive ${device}`)
    expect(preview.blocks).toMatchObject([{ message: 'wouldRederive', values: { count: 0 } }])
    expect((await run(`rederive ${device}`, preview.confirmation ?? '')).blocks).toMatchObject([
      { message: 'rederived' },
    ])
    expect(await errorOf(run('rederive 2147483647'))).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
  })

  it('compute roll-ups of a month again: rebuild-rollups', async () => {
    const { confirmation } = await run('rebuild-rollups 2026-01')
    const rebuilds = async () =>
      (await sql<{ month: string }>`select month::text from rollup_rebuilds`.execute(app.ctx.db)).rows
    expect(await rebuilds()).toEqual([])
    expect((await run('rebuild-rollups 2026-01', confirmation ?? '')).blocks).toMatchObject([
      { message: 'rebuilds', values: { month: '2026-01' } },
    ])
  })

  it('try parked events and refused messages again: replay-events, replay-messages', async () => {
    await sql`insert into outbox_failures (consumer, event_id, topic, version, payload, error, attempts)
      values ('test', 1, 'test', 1, '{}', 'broken', 5)`.execute(app.ctx.db)
    const { confirmation, blocks } = await run('replay-events test')
    expect(blocks).toMatchObject([{ values: { consumer: 'test', count: 1 } }])
    expect((await run('replay-events test', confirmation ?? '')).blocks).toMatchObject([
      { message: 'replaysEvents', values: { count: 1 } },
    ])
    const connector = await createConnector(app, account.id, account.scopeId)
    const asked = await run(`replay-messages ${connector.id}`)
    expect(asked.blocks).toMatchObject([{ message: 'wouldReplayMessages', values: { count: 0 } }])
    expect(await errorOf(run('replay-messages 2147483647'))).toMatchObject({ code: 'CONNECTOR_NOT_FOUND' })
  })

  it('give up no lease that nobody has: TERMINAL_LEASE_NOT_FOUND', async () => {
    // A single node has none; `platform/nodes` tests what giving one up does.
    expect(await errorOf(run('release-lease packets.17'))).toMatchObject({
      code: 'TERMINAL_LEASE_NOT_FOUND',
      status: 404,
    })
  })

  it('take a confirmation once asked for, for the same line, from the same session: TERMINAL_CONFIRMATION_INVALID', async () => {
    const refused = { code: 'TERMINAL_CONFIRMATION_INVALID', status: 409 }
    const { confirmation } = await run('rebuild-rollups 2026-02')
    const given = confirmation ?? ''
    expect(await errorOf(run('rebuild-rollups 2026-03', given))).toMatchObject(refused)
    expect(await errorOf(run('rebuild-rollups 2026-02', `${given.slice(0, -4)}AAAA`))).toMatchObject(refused)
    expect(await errorOf(run('rebuild-rollups 2026-02', 'forged'))).toMatchObject(refused)
    const again = await app.login('admin@localhost')
    expect(await errorOf(run('rebuild-rollups 2026-02', given, again.api))).toMatchObject(refused)
    clock.advance(120_000)
    expect(await errorOf(run('rebuild-rollups 2026-02', given))).toMatchObject(refused)
    expect(await recorded()).toEqual({ line: 'rebuild-rollups 2026-02', changes: { step: 'refused' } })
  })
})

describe('an attack', () => {
  it.each([
    ['drop table users', 'TERMINAL_COMMAND_UNKNOWN'],
    ['select 1', 'TERMINAL_COMMAND_UNKNOWN'],
    ['__proto__', 'TERMINAL_COMMAND_UNKNOWN'],
    ['constructor x', 'TERMINAL_COMMAND_UNKNOWN'],
    ['STATUS', 'TERMINAL_COMMAND_UNKNOWN'],
    ['my-secret-password', 'TERMINAL_COMMAND_UNKNOWN'],
    ['status; help', 'TERMINAL_COMMAND_UNKNOWN'],
    ['status $(id)', 'TERMINAL_ARGUMENT_INVALID'],
    ['rederive', 'TERMINAL_ARGUMENT_INVALID'],
    ['rederive 1 2', 'TERMINAL_ARGUMENT_INVALID'],
    ['rederive 99999999999999999999', 'TERMINAL_ARGUMENT_INVALID'],
    ['rederive -1', 'TERMINAL_ARGUMENT_INVALID'],
    ['release-lease a/../b', 'TERMINAL_ARGUMENT_INVALID'],
    ['rebuild-rollups 2026-13', 'TERMINAL_ARGUMENT_INVALID'],
    ["revoke-sessions ';drop", 'TERMINAL_ARGUMENT_INVALID'],
  ])('with the line %j is refused, and what was typed is recorded nowhere', async (line, code) => {
    expect((await errorOf(run(line))).code).toBe(code)
    expect(await recorded()).toEqual({ line: '?', changes: { step: 'refused' } })
  })

  it('by administrators of accounts, keys, applications or while impersonating is refused', async () => {
    const call = (api: Api) => errorOf(api.terminal.run({ line: 'status' }))
    const administrator = await roleNamed(app, 'Account administrator')
    const system = await roleNamed(app, 'System administrator')
    const ofAccount = await createUser(app, root(), [{ roleId: administrator }])
    expect(await call(ofAccount.api)).toMatchObject({ code: 'NO_PERMISSION', status: 403 })
    expect(await call(createApi(app.url))).toMatchObject({ status: 401 })

    const other = await createUser(app, root(), [{ roleId: system }])
    const lent = await app.api.auth.impersonate({ userId: other.id })
    const asOther = createApiWith(app.url, { authorization: `Bearer ${lent.token}` })
    expect(await call(asOther)).toMatchObject({ code: 'AUTH_IMPERSONATING' })
    expect(await errorOf(asOther.terminal.commands())).toMatchObject({ code: 'AUTH_IMPERSONATING' })

    const key = await app.api.apikey.create({ title: 'Program', scopeId: app.rootScopeId, roleId: system })
    const program = createApiWith(app.url, { 'x-api-key': key.token })
    expect(await call(program)).toMatchObject({ status: 403 })
    expect(await errorOf(program.terminal.commands())).toMatchObject({ status: 403 })

    const redirectUri = 'https://app.example.org/back'
    const { application, secret } = await app.api.application.create({
      accountId: app.rootAccountId,
      title: 'Reporting',
      kind: 'confidential',
      redirectUris: [redirectUri],
      scopes: ['openid', 'all'],
    })
    const party = await relyingParty(app, { clientId: application.clientId, secret, redirectUri })
    const { api } = await tokensFor(app, party, 'openid all', app.token)
    expect(await call(api)).toMatchObject({ code: 'NO_PERMISSION', status: 403 })
  })

  it('with many at once runs one of them: TERMINAL_BUSY', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        run('consumers')
          .then(() => 'ok')
          .catch(({ code }: { code: string }) => code),
      ),
    )
    expect(new Set(answers)).toEqual(new Set(['ok', 'TERMINAL_BUSY']))
    expect((await run('consumers')).line).toBe('consumers')
  })
})
