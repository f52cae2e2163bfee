import { sql } from 'kysely'
import { jsonb } from '../src/platform/db/index.ts'
import type { TestApp } from './kit.ts'

/** Rows the pipeline works on, inserted directly: its tests must not depend on higher features. */

let serial = 0

export async function createConnector(
  app: TestApp,
  accountId = app.rootAccountId,
  scopeId = app.rootScopeId,
) {
  const { id } = await app.ctx.db
    .insertInto('connectors')
    .values({
      account_id: accountId,
      scope_id: scopeId,
      name: `Connector ${++serial}`,
      kind: 'webhook-in',
      settings: jsonb({ preset: 'standard' }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, accountId, scopeId }
}

export async function createDriver(app: TestApp, script: string, variables: object[] = []) {
  const { id } = await app.ctx.db
    .insertInto('drivers')
    .values({
      account_id: app.rootAccountId,
      scope_id: app.rootScopeId,
      title: `Driver ${++serial}`,
      published_version: 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await app.ctx.db
    .insertInto('driver_versions')
    .values({ driver_id: id, number: 1, script, variables: jsonb(variables), published_at: new Date(0) })
    .execute()
  return id
}

export async function createTwin(
  app: TestApp,
  account: { accountId: number; scopeId: number },
  category: 'digitalTwin' | 'virtualDevice' = 'digitalTwin',
) {
  const { id } = await app.ctx.db
    .insertInto('twins')
    .values({ category, account_id: account.accountId, scope_id: account.scopeId, title: `Twin ${++serial}` })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function createDevice(
  app: TestApp,
  connector: { id: number; accountId: number; scopeId: number },
  externalId: string,
  driverId: number | null = null,
) {
  const id = await createTwin(app, connector, 'virtualDevice')
  await app.ctx.db
    .insertInto('virtual_devices')
    .values({ twin_id: id, connector_id: connector.id, external_id: externalId, driver_id: driverId })
    .execute()
  await app.ctx.db.insertInto('device_live').values({ twin_id: id }).execute()
  if (driverId !== null) await acceptDriver(app, connector.accountId, driverId)
  return id
}

/** The account accepts the published version of another account's driver, unless it has accepted one. */
export async function acceptDriver(app: TestApp, accountId: number, driverId: number): Promise<void> {
  await sql`insert into driver_acceptances (account_id, driver_id, version_number)
    select ${accountId}, id, published_version from drivers where id = ${driverId}
      and account_id <> ${accountId} and library_key is null and published_version is not null
    on conflict do nothing`.execute(app.ctx.db)
}

/** A state; `of` makes it an aggregate of others. */
export async function createState(
  app: TestApp,
  twinId: number,
  state: {
    key: string
    source?: string
    valueType?: string
    variable?: string
    connectorId?: number
    identifier?: string
    transformer?: string
    of?: { stateIds: number[]; method: string }
  },
) {
  const { id } = await app.ctx.db
    .insertInto('states')
    .values({
      twin_id: twinId,
      key: state.key,
      title: state.key,
      source: state.source ?? (state.of ? 'aggregate' : 'none'),
      source_settings: jsonb(state.of ?? {}),
      value_type: state.valueType ?? 'number',
      variable: state.variable ?? null,
      connector_id: state.connectorId ?? null,
      identifier: state.identifier ?? null,
      transformer: state.transformer ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (const source of state.of?.stateIds ?? []) {
    await app.ctx.db.insertInto('state_links').values({ state_id: id, source_state_id: source }).execute()
  }
  await app.ctx.configChanges.settle()
  return id
}

/** Current values of a twin by key, once derived values are computed. */
export async function currentOf(app: TestApp, twinId: number): Promise<Record<string, unknown>> {
  await app.app.series.settle()
  const rows = await app.ctx.db
    .selectFrom('states')
    .innerJoin('state_current', 'state_current.state_id', 'states.id')
    .select(['key', 'num', 'txt', 'bool', 'json'])
    .where('twin_id', '=', twinId)
    .execute()
  return Object.fromEntries(rows.map((row) => [row.key, row.num ?? row.txt ?? row.bool ?? row.json]))
}

/** Every stored value of a state, oldest first, as `[ISO time, value]`. */
export async function historyOf(app: TestApp, stateId: number) {
  await app.app.series.settle()
  const rows = await app.ctx.db
    .selectFrom('state_values')
    .select(['time', 'num', 'txt', 'bool'])
    .where('state_id', '=', stateId)
    .orderBy('time')
    .execute()
  return rows.map((row) => [row.time.toISOString(), row.num ?? row.txt ?? row.bool])
}
