import { randomBytes } from 'node:crypto'
import { type Action, actions, type RoleRule, type Subject, subjects } from '@leitstand/contract/permissions'
import { ORPCError } from '@orpc/client'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { fuzzing } from '../../../test/fuzz.ts'
import { type Api, createAccount, createApi, createRole, startApp, type TestApp } from '../../../test/kit.ts'
import { createTwin } from '../../../test/twins.ts'
import { insertSession } from '../people/sessions/store.ts'
import { hashToken } from '../people/sessions.ts'
import { insertUser } from '../people/store/users.ts'
import { insertAccess } from './store/access.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})

/** A scope to create: of a new account, or of a twin in the account above. */
interface Plan {
  readonly parent: number | null
  readonly ofTwin: boolean
}

interface Grant {
  readonly scope: number
  readonly rules: readonly RoleRule[]
}

interface Case {
  readonly plans: readonly Plan[]
  readonly grants: readonly Grant[]
  /** indexes of scopes in whose account dashboards are switched off */
  readonly dashboardsOff: readonly number[]
}

const looked = ['all', 'DigitalTwin', 'VirtualDevice', 'Dashboards'] as const
const anyRule: fc.Arbitrary<RoleRule> = fc.record({
  // Mostly subjects the lists check, sometimes ones that must not affect them.
  subject: fc.oneof({ arbitrary: fc.constantFrom(...looked), weight: 6 }, fc.constantFrom(...subjects)),
  actions: fc.uniqueArray(fc.constantFrom(...actions), { minLength: 1, maxLength: 3 }),
  inverted: fc.boolean(),
})
const anyPlans = fc
  .array(fc.record({ seed: fc.nat(), ofTwin: fc.boolean() }), { minLength: 1, maxLength: 9 })
  .map((seeds) =>
    seeds.map(({ seed, ofTwin }, index) => ({
      parent: index === 0 ? null : seed % index,
      ofTwin: index > 0 && ofTwin,
    })),
  )
const anyCase: fc.Arbitrary<Case> = anyPlans.chain((plans) => {
  const place = fc.nat({ max: plans.length - 1 })
  return fc.record({
    plans: fc.constant(plans),
    grants: fc.array(fc.record({ scope: place, rules: fc.array(anyRule, { minLength: 1, maxLength: 4 }) }), {
      minLength: 1,
      maxLength: 5,
    }),
    dashboardsOff: fc.array(place, { maxLength: 1 }),
  })
})

test('lists and checks answer what a plain evaluation of tree, roles and rules answers', async () => {
  await fc.assert(
    fc.asyncProperty(anyCase, async (drawn) => {
      const scopes = await build(drawn)
      const api = await userWith(drawn.grants, scopes)
      const may = (index: number, subject: Subject, action: Action) => decide(drawn, index, subject, action)
      const idsWhere = (
        key: 'twinId' | 'deviceId' | 'dashboardId',
        subject: Subject,
        opens: Action[],
        shows: Action[] = opens,
      ) => {
        const there = scopes.map((_, index) => index)
        const open = there.some((index) => opens.some((action) => may(index, subject, action)))
        const shown = there.filter((index) => shows.some((action) => may(index, subject, action)))
        return open ? sorted(shown.map((index) => scopes[index]?.[key] ?? 0)) : 'NO_PERMISSION'
      }
      const all = { limit: 1000 }
      // Users who may change an object also see it.
      const answered = {
        twins: await idsOf(api.digitaltwin.list(all)),
        devices: await idsOf(api.virtualdevice.list(all)),
        dashboards: await idsOf(api.dashboards.list(all)),
        accounts: sorted((await api.tenant.fetchAll()).items.map(({ id }) => id)),
        checks: await checksOf(api, scopes),
      }
      expect(answered).toEqual({
        twins: idsWhere('twinId', 'DigitalTwin', ['read', 'list'], ['read', 'list', 'write', 'manage']),
        devices: idsWhere('deviceId', 'VirtualDevice', ['read', 'manage'], ['read', 'write', 'manage']),
        dashboards: idsWhere('dashboardId', 'Dashboards', ['read', 'manage']),
        accounts: sorted(
          scopes.flatMap(({ accountId, ofTwin }, index) =>
            !ofTwin && pathUp(drawn, index).some((at) => drawn.grants.some(({ scope }) => scope === at))
              ? [accountId]
              : [],
          ),
        ),
        checks: scopes.map((_, index) => checked.map(([subject, action]) => may(index, subject, action))),
      })
    }),
    fuzzing(30),
  )
})

/** The definition, implemented naively: the nearest scope on the path up with a matching rule decides. */
function decide(drawn: Case, index: number, subject: Subject, action: Action): boolean {
  const accountsAbove = pathUp(drawn, index).map((at) => accountPlace(drawn, at))
  if (
    subject === 'Dashboards' &&
    drawn.dashboardsOff.some((at) => accountsAbove.includes(accountPlace(drawn, at)))
  )
    return false
  for (const at of pathUp(drawn, index)) {
    const said = drawn.grants
      .filter(({ scope }) => scope === at)
      .map(({ rules }) =>
        rules.findLast(
          (rule) =>
            (rule.subject === subject || (rule.subject === 'all' && subject !== 'super.system')) &&
            (rule.actions.includes(action) || rule.actions.includes('manage')),
        ),
      )
      .filter((rule) => rule !== undefined)
    if (said.some(({ inverted }) => inverted !== true)) return true
    if (said.length > 0) return false
  }
  return false
}

function pathUp(drawn: Case, index: number): number[] {
  const parent = drawn.plans[index]?.parent ?? null
  return parent === null ? [index] : [index, ...pathUp(drawn, parent)]
}

/** The index whose account a scope belongs to: its own, or for a twin's scope the nearest account above. */
function accountPlace(drawn: Case, index: number): number {
  const plan = drawn.plans[index]
  return plan?.ofTwin && plan.parent !== null ? accountPlace(drawn, plan.parent) : index
}

interface Built {
  readonly accountId: number
  readonly scopeId: number
  readonly ofTwin: boolean
  readonly twinId: number
  readonly deviceId: number
  readonly dashboardId: number
}

/** Creates the tree with a twin, a device and a dashboard in every scope. */
async function build({ plans, dashboardsOff }: Case): Promise<Built[]> {
  const { db } = app.ctx
  const built: Built[] = []
  for (const { parent, ofTwin } of plans) {
    const above = parent === null ? undefined : built[parent]
    const place = above && ofTwin ? await twinScope(above) : await accountBelow(above)
    const account = { id: place.accountId, scopeId: place.scopeId }
    const { id: twinId } = await createTwin(app, account)
    const { id: deviceId } = await createTwin(app, account, { category: 'virtualDevice' })
    const connector = await db
      .insertInto('connectors')
      .values({
        account_id: account.id,
        scope_id: account.scopeId,
        name: `C ${deviceId}`,
        kind: 'webhook-in',
        settings: '{}',
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const device = { twin_id: deviceId, connector_id: connector.id, external_id: `d${deviceId}` }
    await db.insertInto('virtual_devices').values(device).execute()
    await db.insertInto('device_live').values({ twin_id: deviceId }).execute()
    const { id: dashboardId } = await db
      .insertInto('dashboards')
      .values({
        account_id: account.id,
        scope_id: account.scopeId,
        name: `Dashboard ${twinId}`,
        parent_twin_id: twinId,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    built.push({ ...place, ofTwin, twinId, deviceId, dashboardId })
  }
  for (const at of dashboardsOff) {
    const row = {
      account_id: built[at]?.accountId ?? 0,
      module: 'dashboards',
      enabled: false,
      updated_at: new Date(),
    }
    await db.insertInto('account_modules').values(row).execute()
  }
  return built
}

async function accountBelow(above: Built | undefined): Promise<{ accountId: number; scopeId: number }> {
  const parent = above && { id: above.accountId, scopeId: above.scopeId }
  const { id: accountId, scopeId } = await createAccount(app, parent ? { parent } : {})
  return { accountId, scopeId }
}

async function twinScope(above: Built): Promise<{ accountId: number; scopeId: number }> {
  const { id: twinId } = await createTwin(app, { id: above.accountId, scopeId: app.rootScopeId })
  const { id: scopeId } = await app.ctx.db
    .insertInto('scopes')
    .values({
      parent_id: above.scopeId,
      account_id: above.accountId,
      twin_id: twinId,
      name: `Twin ${twinId}`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { accountId: above.accountId, scopeId }
}

/** A signed-in user with one role for each grant. */
async function userWith(grants: readonly Grant[], scopes: readonly Built[]): Promise<Api> {
  const { db, clock } = app.ctx
  const username = `person-${randomBytes(6).toString('hex')}`
  const accountId = scopes[0]?.accountId ?? 0
  const userId = await insertUser(db, {
    accountId,
    username,
    email: `${username}@example.org`,
    passwordHash: null,
  })
  for (const [index, { scope, rules }] of grants.entries()) {
    const access = { userId, scopeId: scopes[scope]?.scopeId ?? 0, roleId: await createRole(app, rules) }
    await insertAccess(db, { ...access, isMain: index === 0 })
  }
  const token = randomBytes(32).toString('base64url')
  const at = clock.now()
  const expiresAt = new Date(at.getTime() + 3_600_000)
  const session = {
    tokenHash: hashToken(token),
    userId,
    at,
    expiresAt,
    ip: '',
    userAgent: '',
    originalId: null,
  }
  await insertSession(db, session)
  return createApi(app.url, token)
}

const checked = looked.flatMap((subject) => actions.map((action) => [subject, action] as const))

/** For every scope, the result of `checkAccess` for each permission. */
async function checksOf(api: Api, scopes: readonly Built[]): Promise<boolean[][]> {
  return Promise.all(
    scopes.map(async ({ scopeId }) => {
      const checks = checked.map(([subject, action]) => ({ subject, action, scopeId }))
      return (await api.acl.checkAccess({ checks })).results
    }),
  )
}

async function idsOf(
  page: Promise<{ items: readonly { id: number }[]; total: number }>,
): Promise<number[] | 'NO_PERMISSION'> {
  try {
    const { items, total } = await page
    expect(total).toBe(items.length)
    return sorted(items.map(({ id }) => id))
  } catch (error) {
    if (error instanceof ORPCError && error.code === 'NO_PERMISSION') return 'NO_PERMISSION'
    throw error
  }
}

function sorted(ids: readonly number[]): number[] {
  return [...ids].sort((one, other) => one - other)
}
