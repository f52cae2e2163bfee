import { randomBytes, randomUUID } from 'node:crypto'
import { actions, type Permission, type RoleRule, subjects } from '@leitstand/contract/permissions'
import { sql } from 'kysely'
import { hashPassword } from '../../src/features/people/index.ts'
import { insertSession } from '../../src/features/people/sessions/store.ts'
import { hashToken } from '../../src/features/people/sessions.ts'
import { insertUser } from '../../src/features/people/store/users.ts'
import { insertAccess, insertRole } from '../../src/features/rights/index.ts'
import { jsonb } from '../../src/platform/db/index.ts'
import { MonthPartitions } from '../../src/platform/db/months.ts'
import {
  type Api,
  createAccount,
  createApi,
  createApiWith,
  roleNamed,
  type TestApp,
  testPassword,
} from '../kit.ts'
import { dot } from '../pictures.ts'
import { createState, createTwin } from '../twins.ts'
import type { CallerName } from './answers.ts'

export interface Account {
  id: number
  scopeId: number
}

/** A caller, signed in or not. */
export interface Who {
  api: Api
  userId: number | null
  username: string
  sessionId: number | null
  /** of the impersonating session */
  originalToken: string | null
}

/** The accounts of the matrix, and all objects of its calls, which belong to the account `own`. */
export type World = Awaited<ReturnType<typeof createWorld>>

/**
 * Accounts: root ─┬─ parent ─┬─ own
 *                 │          └─ sibling
 *                 └─ elsewhere
 */
export async function createWorld(app: TestApp) {
  const { db } = app.ctx
  const parent = await createAccount(app, { name: 'Parent' })
  const own = await createAccount(app, { name: 'Own', parent })
  const sibling = await createAccount(app, { name: 'Sibling', parent })
  const elsewhere = await createAccount(app, { name: 'Elsewhere' })
  const root = { id: app.rootAccountId, scopeId: app.rootScopeId }
  const passwordHash = await hashPassword(testPassword)
  const roleIds = {
    viewer: await roleNamed(app, 'Viewer'),
    operator: await roleNamed(app, 'Operator'),
    administrator: await roleNamed(app, 'Account administrator'),
    system: await roleNamed(app, 'System administrator'),
  }
  /** A role without rules: all users who manage users may assign it. */
  const emptyRoleId = await insertRole(db, {
    accountId: null,
    name: 'Nothing',
    description: '',
    icon: null,
    rules: [],
  })
  let serial = 0
  const unique = (noun: string) => `${noun} ${++serial}`

  /** A user, not signed in. */
  const user = async (account: Account = own, roleId: number | null = roleIds.viewer) => {
    const username = `person${++serial}`
    const id = await insertUser(db, {
      accountId: account.id,
      username,
      email: `${username}@example.org`,
      passwordHash,
    })
    if (roleId !== null)
      await insertAccess(db, { userId: id, scopeId: account.scopeId, roleId, isMain: true })
    return { id, username, email: `${username}@example.org` }
  }
  const session = async (userId: number, originalId: number | null = null) => {
    const token = randomBytes(32).toString('base64url')
    const at = app.ctx.clock.now()
    const expiresAt = new Date(at.getTime() + 3_600_000)
    const about = { tokenHash: hashToken(token), userId, at, expiresAt, ip: '', userAgent: 'matrix' }
    return { id: await insertSession(db, { ...about, originalId }), token }
  }
  const signedIn = async (
    account: Account,
    roleId: number,
    original?: { id: number; token: string },
  ): Promise<Who> => {
    const { id, username } = await user(account, roleId)
    const begun = await session(id, original?.id)
    return {
      api: createApi(app.url, begun.token),
      userId: id,
      username,
      sessionId: begun.id,
      originalToken: original?.token ?? null,
    }
  }
  const key = async (validUntil: Date | null = null, roleId: number = roleIds.administrator) => {
    const token = `lsk_${randomBytes(32).toString('base64url')}`
    const at = app.ctx.clock.now()
    const { id } = await db
      .insertInto('api_keys')
      .values({
        account_id: own.id,
        title: unique('Key'),
        token_hash: hashToken(token),
        prefix: token.slice(0, 10),
        calls_per_minute: 100,
        valid_from: null,
        valid_until: validUntil,
        scope_id: own.scopeId,
        role_id: roleId,
        created_by: 'matrix',
        created_at: at,
        updated_at: at,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id, token }
  }
  const program = async (validUntil: Date | null): Promise<Who> => {
    const { token } = await key(validUntil)
    const api = createApiWith(app.url, { 'x-api-key': token })
    return { api, userId: null, username: '', sessionId: null, originalToken: null }
  }

  /** Creates a caller: signing out, changing a password or ending sessions must not affect other cells. */
  const openers: Record<CallerName, () => Promise<Who>> = {
    nobody: async () => ({
      api: createApi(app.url),
      userId: null,
      username: '',
      sessionId: null,
      originalToken: null,
    }),
    stranger: () => signedIn(elsewhere, roleIds.operator),
    viewer: () => signedIn(own, roleIds.viewer),
    operator: () => signedIn(own, roleIds.operator),
    administrator: () => signedIn(own, roleIds.administrator),
    sibling: () => signedIn(sibling, roleIds.administrator),
    parent: () => signedIn(parent, roleIds.administrator),
    system: () => signedIn(root, roleIds.system),
    key: () => program(null),
    expiredKey: () => program(new Date(app.ctx.clock.now().getTime() - 1000)),
    deactivated: async () => {
      const who = await signedIn(own, roleIds.administrator)
      await db.updateTable('users').set({ active: false }).where('id', '=', who.userId).execute()
      return who
    },
    impersonated: async () => {
      const { id } = await user(parent, roleIds.administrator)
      return signedIn(own, roleIds.administrator, await session(id))
    },
  }

  /** A user in the account with only these rules. */
  const holder = async (rules: readonly RoleRule[]): Promise<Who> => {
    const role = { accountId: null, name: unique('Role'), description: '', icon: null, rules }
    return signedIn(own, await insertRole(db, role))
  }

  const twin = () => createTwin(app, own)
  const tagged = async (category: 'digitalTwin' | 'virtualDevice') => {
    const tag = unique('Tag')
    await createTwin(app, own, { category, tags: [tag] })
    return { tag }
  }
  const stateOf = (twinId: number) => createState(app, twinId, 'temperature')
  const state = async () => {
    const twinId = (await twin()).id
    return { id: await stateOf(twinId), twinId }
  }
  /** Stores a number of a state. */
  const value = (stateId: number, time: string) =>
    app.app.series.write([{ stateId, value: 21, time: new Date(time) }])
  const connector = async () => {
    const { id } = await db
      .insertInto('connectors')
      .values({
        account_id: own.id,
        scope_id: own.scopeId,
        name: unique('Connector'),
        kind: 'webhook-in',
        settings: jsonb({ preset: 'standard', template: '', messagesPerSecond: null }),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id }
  }
  const driver = async (of: Account = own) => {
    const { id } = await db
      .insertInto('drivers')
      .values({ account_id: of.id, scope_id: of.scopeId, title: unique('Driver'), published_version: 1 })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('driver_versions')
      .values({
        driver_id: id,
        number: 1,
        script: driverScript,
        variables: jsonb([]),
        published_at: app.ctx.clock.now(),
      })
      .execute()
    return { id }
  }
  /** A driver of the parent account, of which the account has accepted a version. */
  const acceptedDriver = async () => {
    const { id } = await driver(parent)
    await db
      .insertInto('driver_acceptances')
      .values({ account_id: own.id, driver_id: id, version_number: 1 })
      .execute()
    return { id }
  }
  /** A published device template without later changes. */
  const template = async () => {
    const [{ id: driverId }, { id: connectorId }] = [await driver(), await connector()]
    const { id } = await db
      .insertInto('device_templates')
      .values({ account_id: own.id, scope_id: own.scopeId, title: unique('Template'), publication: 1 })
      .returning('id')
      .executeTakeFirstOrThrow()
    const content = { template_id: id, driver_id: driverId, connector_id: connectorId, settings: jsonb({}) }
    await db
      .insertInto('device_template_contents')
      .values([
        { ...content, stage: 'draft' },
        { ...content, stage: 'productive' },
      ])
      .execute()
    return { id, driverId, connectorId }
  }
  const device = async () => {
    const [{ id: connectorId }, { id }] = [
      await connector(),
      await createTwin(app, own, { category: 'virtualDevice' }),
    ]
    const externalId = `device-${id}`
    await db
      .insertInto('virtual_devices')
      .values({ twin_id: id, connector_id: connectorId, external_id: externalId })
      .execute()
    await db.insertInto('device_live').values({ twin_id: id }).execute()
    return { id, connectorId, externalId }
  }
  /** A device, and a template it could be linked to. */
  const linkable = async () => {
    const [made, { id: templateId, driverId, connectorId }] = [await device(), await template()]
    await db
      .updateTable('virtual_devices')
      .set({ driver_id: driverId, connector_id: connectorId })
      .where('twin_id', '=', made.id)
      .execute()
    return { ...made, templateId }
  }
  /** A device of a template. */
  const linked = async () => {
    const made = await linkable()
    await db
      .updateTable('virtual_devices')
      .set({ template_id: made.templateId, template_publication: 1 })
      .where('twin_id', '=', made.id)
      .execute()
    return made
  }
  /** A floor with a plan that is not placed yet. */
  const floor = async () => {
    const { id } = await twin()
    await app.ctx.db.updateTable('twins').set({ type: 'floor' }).where('id', '=', id).execute()
    const plan = new File([dot], 'plan.png')
    const { id: fileId } = await app.api.upload.post({
      file: plan,
      object: 'digitalTwin',
      objectId: id,
      role: 'plan',
    })
    return { id, fileId }
  }
  /** A user who is responsible for a twin or device. */
  const responsible = async (id: number) => {
    const { id: userId } = await user()
    const at = app.ctx.clock.now()
    await db
      .insertInto('twin_user_relations')
      .values({ twin_id: id, user_id: userId, responsibility: 1, created_at: at })
      .execute()
    return { id, userId }
  }
  /** An attachment of a device. */
  const file = async () => {
    const { id: objectId } = await device()
    const attachment = new File(['text'], 'notes.txt')
    return app.api.upload.post({ file: attachment, object: 'virtualDevice', objectId })
  }
  /** A device where the squares of a map at zoom 0 meet: in the middle of the world. */
  const placedDevice = async () => {
    const made = await device()
    await db.updateTable('twins').set({ latitude: 0, longitude: 0 }).where('id', '=', made.id).execute()
    return { ...made, cluster: '0_64_4_4' }
  }
  const placedTwin = async () => {
    const made = await twin()
    await db.updateTable('twins').set({ latitude: 0, longitude: 0 }).where('id', '=', made.id).execute()
    return { ...made, cluster: '0_64_4_4' }
  }
  /** A twin with map settings of its own. */
  const mappedTwin = async () => {
    const made = await twin()
    await db
      .insertInto('twin_map_settings')
      .values({ twin_id: made.id, settings: jsonb({}) })
      .execute()
    return made
  }
  const grouped = async () => {
    const { id } = await device()
    const group = unique('Group')
    await db
      .updateTable('virtual_devices')
      .set({ groups: [group] })
      .where('twin_id', '=', id)
      .execute()
    return { group }
  }
  const rule = async () => {
    const { id: stateId, twinId } = await state()
    const created = await app.api.ddr.create({ dtwinId: twinId, ...ruleOn(stateId) })
    return { id: created.id, twinId, stateId }
  }
  const dashboard = async () => {
    const { id } = await db
      .insertInto('dashboards')
      .values({ account_id: own.id, scope_id: own.scopeId, name: unique('Dashboard') })
      .returning('id')
      .executeTakeFirstOrThrow()
    const widget = await db
      .insertInto('widgets')
      .values({ dashboard_id: id, position: 0, config: jsonb(widgetDefinition) })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id, widgetId: widget.id }
  }
  const deadLetter = async () => {
    const { id: connectorId } = await connector()
    const { id } = await db
      .insertInto('dead_letters')
      .values({
        account_id: own.id,
        connector_id: connectorId,
        reason: 'PACKET_INVALID',
        body: '{}',
        received_at: app.ctx.clock.now(),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id, connectorId }
  }
  /** A background job of a user, or of a deleted one. */
  const job = async (userId: number | null, state: 'created' | 'canceled') => {
    const { id: connectorId } = await connector()
    const { id } = await db
      .insertInto('background_jobs')
      .values({
        account_id: own.id,
        scope_id: own.scopeId,
        user_id: userId,
        user_name: 'matrix',
        title: unique('Job'),
        type: 'dead-letters-replay',
        resource_type: 'connector',
        resource_id: connectorId,
        state,
        params: jsonb({ selection: { ids: [1] }, connectorId }),
        created_at: app.ctx.clock.now(),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id }
  }
  /** A twin whose bulk edit can be undone. */
  const editedTwin = async () => {
    const { id } = await twin()
    const { id: jobId } = await job(null, 'canceled')
    const until = new Date(app.ctx.clock.now().getTime() + 86_400_000)
    const undo = { id: randomUUID(), job_id: jobId, until }
    await db.insertInto('twin_undos').values(undo).execute()
    const change = jsonb({ icon: { before: null, after: 'home' } })
    await db.insertInto('twin_undo_items').values({ undo_id: undo.id, twin_id: id, change }).execute()
    return { jobId }
  }
  /** A user's uploaded file. */
  const uploaded = async (userId: number | null, header: string[], row: string[]) => {
    const id = randomUUID()
    const values = { id, user_id: userId, file_name: 'file.csv', header, created_at: app.ctx.clock.now() }
    await db.insertInto('bulk_uploads').values(values).execute()
    await db
      .insertInto('bulk_upload_parts')
      .values({ upload_id: id, part: 0, rows: jsonb([row]) })
      .execute()
    return id
  }
  /** A user's uploaded file with one device, and its import settings. */
  const upload = async (userId: number | null) => {
    const { id: connectorId } = await connector()
    const uploadId = await uploaded(userId, ['id', 'title'], [unique('new'), 'New'])
    const columns = [
      { column: 0, target: 'externalId' as const },
      { column: 1, target: 'title' as const },
    ]
    return { uploadId, settings: { connectorId, columns } }
  }
  /** A user's uploaded file with one copy of a twin. */
  const twinUpload = async (userId: number | null) => {
    const { id } = await twin()
    const uploadId = await uploaded(userId, ['title'], ['Copy'])
    const columns = [{ column: 0, target: 'title' as const }]
    return { id, parentId: id, twinsData: { uploadId, columns } }
  }
  /** An account can only have a limited number of jobs at once. */
  const endJobs = () =>
    db.updateTable('background_jobs').set({ state: 'canceled' }).where('state', '=', 'created').execute()
  const role = async () => {
    const name = unique('Role')
    const id = await insertRole(db, { accountId: own.id, name, description: '', icon: null, rules: [] })
    return { id, name }
  }
  const subAccount = () => createAccount(app, { name: unique('Sub-account'), parent: own })
  const favorite = async (userId: number | null) => {
    if (userId === null) return { id: 1 }
    const values = { user_id: userId, type: 'digitalTwin', object_id: (await twin()).id }
    return db.insertInto('favorites').values(values).returning('id').executeTakeFirstOrThrow()
  }
  const view = async (userId: number | null, kind: 'devices' | 'states' | 'twins' = 'devices') => {
    if (userId === null) return { id: 1 }
    const values = { user_id: userId, account_id: own.id, title: unique('View'), filter: jsonb({}), kind }
    return db.insertInto('device_views').values(values).returning('id').executeTakeFirstOrThrow()
  }
  const group = async () => {
    const title = unique('Group')
    const values = { account_id: own.id, scope_id: own.scopeId, title, filter: jsonb({}) }
    return db.insertInto('smart_groups').values(values).returning(['id', 'title']).executeTakeFirstOrThrow()
  }
  const activity = async () => {
    const values = { account_id: own.id, user_name: 'matrix', action: 'create', subject: unique('Thing') }
    return db.insertInto('activities').values(values).returning(['id', 'subject']).executeTakeFirstOrThrow()
  }
  const mail = async (status = 'kept') => {
    const values = {
      account_id: own.id,
      recipients: ['a@example.org'],
      subject: unique('Mail'),
      body: '',
      status,
    }
    return db.insertInto('mails').values(values).returning(['id', 'subject']).executeTakeFirstOrThrow()
  }
  const failedSignIn = async () => {
    const at = new Date()
    const values = {
      day: at.toISOString().slice(0, 10),
      name: unique('failed'),
      address: '192.0.2.1',
      network: '192.0.2.1',
      reason: 'sso',
      code: '',
      account_id: own.id,
      first_at: at,
      last_at: at,
      times: 1,
    }
    return db.insertInto('failed_sign_ins').values(values).returning(['id', 'name']).executeTakeFirstOrThrow()
  }
  const attachment = async () => {
    const values = { mail_id: (await mail()).id, name: 'a.png', type: 'image/png', bytes: Buffer.from('a') }
    return db.insertInto('mail_attachments').values(values).returning('id').executeTakeFirstOrThrow()
  }
  const maintenance = async () => {
    const values = {
      account_id: own.id,
      twin_id: (await createTwin(app, own)).id,
      title: unique('Works'),
      starts_at: new Date('2100-01-01'),
      ends_at: new Date('2100-01-02'),
      created_name: 'matrix',
    }
    return db
      .insertInto('alarm_maintenances')
      .values(values)
      .returning(['id', 'title'])
      .executeTakeFirstOrThrow()
  }
  const report = async () => {
    const { id: groupId } = await group()
    const now = app.ctx.clock.now()
    const values = {
      account_id: own.id,
      scope_id: own.scopeId,
      title: unique('Report'),
      group_id: groupId,
      type: 'device',
      conditions: ['always'],
      language: 'de-DE',
      subject: 'Report',
      tables: ['summary'],
      period: 'day',
      weekdays: [1],
      time_zone: 'Europe/Berlin',
      recipients: ['report@example.org'],
      active: false,
      created_at: now,
      updated_at: now,
    }
    const { id, title } = await db
      .insertInto('alarm_reports')
      .values(values)
      .returning(['id', 'title'])
      .executeTakeFirstOrThrow()
    const run = {
      report_id: id,
      day: '2026-06-15',
      state: 'sent',
      at: now,
      html: '<p>',
      pdf: Buffer.from('%PDF'),
    }
    const { id: runId } = await db
      .insertInto('alarm_report_runs')
      .values(run)
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id, title, groupId, runId }
  }
  const alarm = async () => {
    const { id: twinId } = await createTwin(app, own)
    const values = {
      account_id: own.id,
      twin_id: twinId,
      severity: 'warning',
      message: unique('Alarm'),
    }
    return db
      .insertInto('alarms')
      .values({ ...values, raised_at: app.ctx.clock.now() })
      .returning(['id', 'message'])
      .executeTakeFirstOrThrow()
  }
  const execution = async () => {
    const { id: ruleId, twinId } = await rule()
    await new MonthPartitions(db).prepare('rule_executions', [app.ctx.clock.now()])
    const { rows } = await sql<{ id: number }>`
      insert into rule_executions (rule_id, twin_id, event_id, at, result, inputs, branch, duration_us, error)
      values (${ruleId}, ${twinId}, ${++serial}, ${app.ctx.clock.now()}, 'error', '{}', '{}', 1, 'broken') returning id`.execute(
      db,
    )
    return { id: rows[0]?.id ?? 0, ruleId, twinId }
  }

  return {
    app,
    parent,
    own,
    sibling,
    elsewhere,
    roleIds,
    unique,
    open: (name: CallerName) => openers[name](),
    holder,
    user,
    responsible,
    session,
    key,
    twin,
    floor,
    tagged,
    state,
    stateOf,
    value,
    connector,
    driver,
    acceptedDriver,
    template,
    linkable,
    linked,
    device,
    file,
    placedDevice,
    placedTwin,
    mappedTwin,
    grouped,
    rule,
    dashboard,
    deadLetter,
    job,
    upload,
    twinUpload,
    editedTwin,
    endJobs,
    role,
    subAccount,
    emptyRoleId,
    favorite,
    view,
    group,
    activity,
    failedSignIn,
    mail,
    attachment,
    alarm,
    maintenance,
    report,
    execution,
  }
}

export const driverScript = 'module.exports = () => ({ ok: true })'
export const widgetDefinition = { type: 'empty', title: '', size: { columns: 6, minHeightPx: 280 } } as const

/** A rule that looks at one state. */
export function ruleOn(stateId: number) {
  return {
    title: 'Too warm',
    metrics: [{ alias: 'temperature', stateId }],
    conditions: { op: 'gt', left: { metric: 'temperature' }, right: { value: 30 } },
    actions: [{ kind: 'alarm', severity: 'warning', message: 'warm' }],
  } satisfies Partial<Parameters<Api['ddr']['create']>[0]>
}

/** The minimal rules of a permission. */
export function only({ subject, action }: Permission): RoleRule[] {
  return [{ subject, actions: [action] }]
}

/** All permissions on subjects that are not required. */
export function everythingBut(needed: readonly Permission[]): RoleRule[] {
  return subjects
    .filter((subject) => subject !== 'all' && needed.every((one) => one.subject !== subject))
    .map((subject) => ({ subject, actions: [...actions] }))
}
