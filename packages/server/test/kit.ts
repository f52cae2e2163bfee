import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { type Contract, contract } from '@leitstand/contract'
import type { RoleRule } from '@leitstand/contract/permissions'
import { createORPCClient, ORPCError } from '@orpc/client'
import type { ContractRouterClient } from '@orpc/contract'
import { OpenAPILink } from '@orpc/openapi-client/fetch'
import pg from 'pg'
import { expect, inject } from 'vitest'
import { type App, createApp } from '../src/app.ts'
import { type Config, readConfig } from '../src/config.ts'
import { insertAccount } from '../src/features/accounts/index.ts'
import { insertUser } from '../src/features/people/store/users.ts'
import { accountScopes, insertAccess, insertRole } from '../src/features/rights/index.ts'
import type { Clock } from '../src/platform/clock.ts'
import type { Context } from '../src/platform/context.ts'
import type { DatabaseAddress } from '../src/platform/db/index.ts'
import type { Migration } from '../src/platform/db/migrate.ts'
import { hash } from '../src/platform/hashing/index.ts'
import { createLog } from '../src/platform/log.ts'
import type { SystemLog } from '../src/platform/systemLog/index.ts'
import { afterThisFile } from './cleanup.ts'

export type Api = ContractRouterClient<Contract>

/** Password of every user the factories make, and of the administrator. */
export const testPassword = 'correct horse battery'
export const adminName = 'admin@localhost'
/**
 * Hashing is slow by design, and so is comparing. That is tested with passwords that the server hashes; most
 * users only need to sign in.
 */
const testPasswordHash = hash(testPassword, { memoryCost: 8, timeCost: 1, parallelism: 1 })
/** Shared, so that a second server can decrypt what the first one encrypted. */
export const testSecret = 'what the tests encrypt their secrets with'

/** A clock that only advances explicitly. */
export class FakeClock implements Clock {
  #now: Date
  constructor(start: Date | string = '2026-06-15T12:00:00.000Z') {
    this.#now = new Date(start)
  }
  now(): Date {
    return new Date(this.#now)
  }
  set(at: Date | string): void {
    this.#now = new Date(at)
  }
  advance(ms: number): void {
    this.#now = new Date(this.#now.getTime() + ms)
  }
}

export interface TestApp extends AsyncDisposable {
  app: App
  url: string
  ctx: Context
  /** the API as the system administrator */
  api: Api
  token: string
  rootAccountId: number
  rootScopeId: number
  /** a second database connection string for a restart on the same data */
  address: DatabaseAddress
  login(username: string, password?: string): Promise<{ api: Api; token: string }>
  /** Runs all due events and jobs. */
  drain(): Promise<void>
}

export interface TestAppOptions {
  config?: Partial<Config>
  clock?: Clock
  /** registers consumers of events */
  prepare?: (ctx: Context) => void
  /** the database of an app that was stopped, for tests of a restart */
  address?: DatabaseAddress
  /** keeps its warnings and errors, which are not printed then */
  systemLog?: SystemLog
  /** those of another version */
  migrations?: readonly Migration[]
}

/**
 * A separate, empty, migrated database; dropped after the test file, which fails if connections are left
 * open.
 * @param options `migrated: false`: without any tables; `started: true`: as the first start leaves it
 */
export async function createDatabase(
  options: { migrated?: boolean; started?: boolean } = {},
): Promise<DatabaseAddress & { database: string }> {
  const { template, ...server } = inject('database')
  const database = `test_${randomUUID().replaceAll('-', '')}`
  if (options.started) {
    startedOnce ??= prepareStarted()
    await startedOnce
  }
  const original = options.started ? startedTemplate : template
  const from = options.migrated === false ? '' : `template ${original} strategy file_copy`
  await onServer(server, `create database ${database} ${from}`)
  afterThisFile(async () => {
    const left = await connectionsOf(server, database)
    await onServer(server, `drop database ${database} with (force)`)
    expect(left, 'database connections left open by the test').toEqual([])
  })
  return { ...server, database }
}

const startedTemplate = 'leitstand_started'
let startedOnce: Promise<void> | undefined

/**
 * Does once for the run what every first start does: it creates the root account, its administrator and roles, and
 * installs the delivered drivers.
 */
async function prepareStarted(): Promise<void> {
  const { template, ...server } = inject('database')
  const admin = new pg.Client({ ...server, database: 'postgres' })
  await admin.connect()
  try {
    // The other worker waits, and then finds the template.
    await admin.query("select pg_advisory_lock(hashtext('started template'))")
    const found = await admin.query('select from pg_database where datname = $1', [startedTemplate])
    if (found.rowCount === 1) return
    const unfinished = `${startedTemplate}_unfinished`
    await admin.query(`drop database if exists ${unfinished}`)
    await admin.query(`create database ${unfinished} template ${template} strategy file_copy`)
    await startIn({ ...server, database: unfinished })
    expect(await connectionsOf(server, unfinished), 'connections left open by the first start').toEqual([])
    await admin.query(`alter database ${unfinished} rename to ${startedTemplate}`)
  } finally {
    await admin.end()
  }
}

async function startIn(database: DatabaseAddress): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'leitstand-test-data-'))
  try {
    const given = { database, clock: new FakeClock(), scriptWorkers: 1, scriptsOnDemand: true }
    await using app = await createApp(testConfig(dataDir), createLog('error'), given)
    await app.ctx.db
      .updateTable('users')
      .set({ password_hash: await testPasswordHash })
      .execute()
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function onServer(
  server: { host: string; port: number; user: string; password: string },
  sql: string,
): Promise<pg.QueryResult> {
  const client = new pg.Client({ ...server, database: 'postgres' })
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

/** A closed connection may take a moment to disappear on the server. */
async function connectionsOf(
  server: { host: string; port: number; user: string; password: string },
  database: string,
) {
  const look = `select application_name, state, query from pg_stat_activity where datname = '${database}'`
  let rows: unknown[] = []
  for (let tries = 0; tries < 300; tries++) {
    rows = (await onServer(server, look)).rows
    if (rows.length === 0) break
  }
  return rows
}

function testConfig(dataDir: string): Config {
  const env = {
    ADMIN_PASSWORD: testPassword,
    LEITSTAND_SECRET: testSecret,
    LOG_LEVEL: process.env.TEST_LOG ?? 'fatal',
  }
  return {
    ...readConfig(env, dataDir),
    port: 0,
    mqttPort: 0,
    demo: false,
    // Opening them takes a good part of the database's time.
    databaseConnections: 6,
    checkEvents: true,
    // Tests look into the tables; those of compaction turn it on.
    compactAfterDays: 0,
    signInsPerMinute: 100_000,
    dataDir,
    // No server listens there: tests must not depend on public DNS.
    dnsServers: ['127.0.0.1:9'],
  }
}

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })

/**
 * The real server on a free port with its own database and a signed-in administrator. It is stopped after the
 * test file; `await using` stops it earlier.
 */
export async function startApp(options: TestAppOptions = {}): Promise<TestApp> {
  const started = options.config?.adminPassword === undefined
  const address = options.address ?? (await createDatabase({ started }))
  const dataDir = mkdtempSync(join(tmpdir(), 'leitstand-test-data-'))
  const config: Config = { ...testConfig(dataDir), ...options.config }
  const { systemLog } = options
  const log = systemLog ? createLog('warn', nowhere(), systemLog) : createLog(config.logLevel)
  const app = await createApp(config, log, {
    database: address,
    ...(systemLog ? { systemLog } : {}),
    // As on a machine with one processor: starting a second one takes longer than most files run scripts.
    scriptWorkers: 1,
    scriptsOnDemand: true,
    ...(options.clock ? { clock: options.clock } : {}),
    ...(options.prepare ? { prepare: options.prepare } : {}),
    ...(options.migrations ? { migrations: options.migrations } : {}),
  })
  let stopped = false
  const stop = async () => {
    if (stopped) return
    stopped = true
    await app[Symbol.asyncDispose]()
    rmSync(dataDir, { recursive: true, force: true })
  }
  afterThisFile(stop)
  const login = async (username: string, password = testPassword) => {
    const { token } = await createApi(app.url).auth.login({ username, password })
    return { api: createApi(app.url, token), token }
  }
  const admin = await login(adminName)
  const root = await app.ctx.db
    .selectFrom('scopes')
    .select(['id', 'account_id'])
    .where('parent_id', 'is', null)
    .executeTakeFirstOrThrow()
  return {
    app,
    url: app.url,
    ctx: app.ctx,
    ...admin,
    rootAccountId: root.account_id,
    rootScopeId: root.id,
    address,
    login,
    drain: () => app.drain(),
    [Symbol.asyncDispose]: stop,
  }
}

/** The typed client. Errors are `ORPCError` with the code of the catalogue; `data.requestId` names the request. */
export function createApi(url: string, token?: string): Api {
  return createApiWith(url, token === undefined ? {} : { authorization: `Bearer ${token}` })
}

/** The same with other credentials than a session, e.g. `{ 'x-api-key': … }`. */
export function createApiWith(url: string, headers: Record<string, string>): Api {
  const link = new OpenAPILink(contract, {
    url: `${url}/api`,
    headers,
    customErrorResponseBodyDecoder: (body, response) => {
      const { code, message, data, requestId } = body as Record<string, unknown>
      if (typeof code !== 'string') return null
      return new ORPCError(code, {
        status: response.status,
        message: String(message),
        data: { ...(data as object | undefined), requestId },
      })
    },
  })
  return createORPCClient(link)
}

/** The error of a failing call: `await errorOf(api.tenant.create(…))` → `{ code, status, data }`. */
export async function errorOf(
  call: Promise<unknown>,
): Promise<{ code: string; status: number; data: unknown }> {
  try {
    await call
  } catch (error) {
    if (error instanceof ORPCError) return { code: error.code, status: error.status, data: error.data }
    throw error
  }
  throw new Error('the call was expected to fail')
}

let serial = 0

/** An account below another one (the root by default) with its scope. */
export async function createAccount(
  app: TestApp,
  options: { name?: string; parent?: { id: number; scopeId: number } } = {},
): Promise<{ id: number; scopeId: number; name: string }> {
  const name = options.name ?? `Account ${++serial}`
  const parent = options.parent ?? { id: app.rootAccountId, scopeId: app.rootScopeId }
  const account = {
    parentId: parent.id,
    parentScopeId: parent.scopeId,
    name,
    description: '',
    timeZone: 'Europe/Berlin',
  }
  const created = await app.ctx.db.transaction().execute((tx) => insertAccount(tx, account, accountScopes))
  app.app.people.forgetRights()
  return { ...created, name }
}

/** A role with these rules. */
export async function createRole(app: TestApp, rules: readonly RoleRule[]): Promise<number> {
  const role = { accountId: null, name: `Role ${++serial}`, description: '', icon: null, rules }
  return insertRole(app.ctx.db, role)
}

/** Id of one of the default roles. */
export async function roleNamed(app: TestApp, name: string): Promise<number> {
  const row = await app.ctx.db
    .selectFrom('roles')
    .select('id')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return row.id
}

/**
 * A user with `testPassword` and roles on scopes (the first one is the main one).
 * @returns signed in
 */
export async function createUser(
  app: TestApp,
  account: { id: number; scopeId: number },
  access: readonly { roleId: number; scopeId?: number }[],
  options: { username?: string } = {},
): Promise<{ id: number; username: string; api: Api; token: string }> {
  const username = options.username ?? `user${++serial}`
  const user = {
    accountId: account.id,
    username,
    email: `${username}@example.org`,
    passwordHash: await testPasswordHash,
  }
  const id = await app.ctx.db.transaction().execute(async (tx) => {
    const userId = await insertUser(tx, user)
    for (const [index, { roleId, scopeId = account.scopeId }] of access.entries()) {
      await insertAccess(tx, { userId, scopeId, roleId, isMain: index === 0 })
    }
    return userId
  })
  app.app.people.forgetRights()
  return { id, username, ...(await app.login(username)) }
}
