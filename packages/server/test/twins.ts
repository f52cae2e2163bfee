import type { JsonValue } from '@leitstand/contract/common'
import type { ValueType } from '@leitstand/contract/states'
import { runHooks } from '../src/features/objects/index.ts'
import type { TestApp } from './kit.ts'

let serial = 0

/** A twin (or, by category, the twin of a device without its connector) directly in the database. */
export async function createTwin(
  app: TestApp,
  account: { id: number; scopeId: number },
  options: {
    title?: string
    category?: 'digitalTwin' | 'virtualDevice'
    parentId?: number
    latitude?: number
    longitude?: number
    tags?: string[]
  } = {},
): Promise<{ id: number; title: string }> {
  const title = options.title ?? `Twin ${++serial}`
  const { id } = await app.ctx.db
    .insertInto('twins')
    .values({
      category: options.category ?? 'digitalTwin',
      account_id: account.id,
      scope_id: account.scopeId,
      parent_id: options.parentId ?? null,
      title,
      latitude: options.latitude ?? null,
      longitude: options.longitude ?? null,
      tags: options.tags ?? [],
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, title }
}

/** Gives a twin another scope, as a move does. */
export async function setScope(app: TestApp, twinId: number, scopeId: number): Promise<void> {
  await app.ctx.db.transaction().execute(async (tx) => {
    await tx.updateTable('twins').set({ scope_id: scopeId }).where('id', '=', twinId).execute()
    await runHooks('twinsMoved', tx, [twinId])
  })
}

/** A state that is set manually or by rules. @returns its id */
export async function createState(
  app: TestApp,
  twinId: number,
  key: string,
  options: { valueType?: ValueType; source?: string; unit?: string; title?: string; decimals?: number } = {},
): Promise<number> {
  const { id } = await app.ctx.db
    .insertInto('states')
    .values({
      twin_id: twinId,
      key,
      title: options.title ?? key,
      unit: options.unit ?? '',
      source: options.source ?? 'none',
      value_type: options.valueType ?? 'number',
      decimals: options.decimals ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Stores values like the platform does, all in one transaction. */
export async function writeValues(
  app: TestApp,
  values: readonly { stateId: number; value: JsonValue; time: Date | string }[],
): Promise<void> {
  await app.app.series.write(values.map((value) => ({ ...value, time: new Date(value.time) })))
}
