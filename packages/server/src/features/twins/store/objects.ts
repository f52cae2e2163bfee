import type { GeoPolygon } from '@leitstand/contract/geoPolygon'
import type { Contact, ReferenceId, TwinType } from '@leitstand/contract/twins'
import { type RawBuilder, sql } from 'kysely'
import { type Executor, jsonb } from '../../../platform/db/index.ts'
import { eventsOf } from '../../../platform/events/index.ts'
import { twinMoved } from '../../../topics/index.ts'
import { positionOf, type TwinMoved } from '../../../topics/twinMoved.ts'
import { runHooks } from '../../objects/index.ts'
import { forgetFavorites } from '../../people/index.ts'
import type { TwinMove } from '../../series/index.ts'
import { type ObjectInput, uniqueReferences } from '../fields.ts'
import type { Category, ScopesByCategory } from '../policy.ts'
import { inScopes, inScopesByCategory, ints } from './filters.ts'

/** The row of a twin or device with its reference ids. */
export interface ObjectRow {
  id: number
  category: Category
  accountId: number
  scopeId: number
  parentId: number | null
  title: string
  description: string
  type: TwinType
  tags: string[]
  zones: string[]
  icon: string | null
  address: string
  latitude: number | null
  longitude: number | null
  floorNumber: number | null
  floorName: string
  geoPolygon: GeoPolygon | null
  contacts: Contact[]
  keyValues: Record<string, string>
  disabled: boolean
  createdAt: Date
  updatedAt: Date
  version: number
  /** since this version only the position has changed, through device data */
  editedVersion: number
  referenceIds: ReferenceId[]
}

const columns = sql`t.id, t.category, t.account_id as "accountId", t.scope_id as "scopeId", t.parent_id as "parentId",
  t.title, t.description, t.type, t.tags, t.zones, t.icon, t.address, t.latitude, t.longitude,
  t.floor_number as "floorNumber", t.floor_name as "floorName", t.geo_polygon as "geoPolygon", t.contacts,
  t.key_values as "keyValues", t.disabled,
  t.created_at as "createdAt", t.updated_at as "updatedAt", t.version,
  case when t.moved_to = t.version then t.moved_since else t.version end as "editedVersion",
  coalesce((select json_agg(json_build_object('name', r.name, 'value', r.value) order by r.name, r.value)
    from twin_references r where r.twin_id = t.id), '[]') as "referenceIds"`

/**
 * Reads a twin or device in these scopes.
 * @param options.lock locks the row until the end of the transaction: `change` against other changes,
 *   `remove` also against new children
 */
export async function findObject(
  db: Executor,
  category: Category,
  scopeIds: readonly number[],
  id: number,
  options: { lock?: 'change' | 'remove' } = {},
): Promise<ObjectRow | undefined> {
  const { rows } = await sql<ObjectRow>`
    /* prepared: twins.findObject${sql.raw(options.lock ? `.${options.lock}` : '')} */
    select ${columns} from twins t where t.id = ${id} and t.category = ${category} and ${inScopes(scopeIds)}
    ${options.lock === 'remove' ? sql`for update of t` : options.lock ? sql`for no key update of t` : sql``}`.execute(
    db,
  )
  return rows[0]
}

/** Place of a new object: account and scope come from the parent, or from the account's own scope. */
export interface Place {
  parentId: number | null
  accountId: number
  scopeId: number
}

/** The place below a twin in these scopes. Devices cannot be parents. */
export async function findParent(
  db: Executor,
  scopeIds: readonly number[],
  parentId: number,
): Promise<(Place & { parentId: number }) | undefined> {
  const { rows } = await sql<Place & { parentId: number }>`
    /* prepared: twins.findParent */
    select t.id as "parentId", t.account_id as "accountId", t.scope_id as "scopeId" from twins t
    where t.id = ${parentId} and t.category = 'digitalTwin' and ${inScopes(scopeIds)}
    for key share`.execute(db)
  return rows[0]
}

/** Editable columns. */
function editable(input: ObjectInput) {
  return {
    title: input.title,
    description: input.description,
    tags: input.tags,
    zones: input.zones,
    icon: input.icon,
    address: input.address,
    latitude: input.latitude,
    longitude: input.longitude,
    floor_number: input.floorNumber,
    floor_name: input.floorName,
    key_values: jsonb(input.keyValues),
  }
}

/** Columns that only twins use; of a device they are the same for all. */
interface TwinColumns {
  type: TwinType
  geoPolygon: GeoPolygon | null
  contacts: Contact[]
}

/** A twin, or the twin part of a device, to insert. */
export interface NewObject {
  place: Place
  category: Category
  input: ObjectInput & TwinColumns
}

/** Inserts twins or the twin parts of devices. @returns their ids in the order of the objects */
export async function insertObjects(
  tx: Executor,
  objects: readonly NewObject[],
  now: Date,
): Promise<number[]> {
  const rows = objects.map(({ place, category, input: { referenceIds: _, ...input } }) => ({
    ...input,
    ...place,
    category,
  }))
  const inserted = await sql<{ id: number }>`
    /* prepared: twins.insertObjects */
    insert into twins (title, description, tags, zones, icon, address, latitude, longitude, floor_number, floor_name,
      key_values, category, account_id, scope_id, parent_id, type, geo_polygon, contacts, created_at, updated_at)
    select title, description, tags, zones, icon, address, latitude, longitude, "floorNumber", "floorName",
      "keyValues", category, "accountId", "scopeId", "parentId", type, "geoPolygon", contacts, ${now}, ${now}
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (title text, description text, tags text[],
      zones text[], icon text, address text, latitude float8, longitude float8, "floorNumber" int, "floorName" text,
      "keyValues" jsonb, category text, "accountId" int, "scopeId" int, "parentId" int, type text, "geoPolygon" jsonb,
      contacts jsonb))
      with ordinality
    order by ordinality
    returning id`.execute(tx)
  // Ids are assigned in the order of the values, but `returning` does not guarantee an order.
  const ids = inserted.rows.map(({ id }) => id).sort((a, b) => a - b)
  await appendMoves(
    tx,
    objects.map(({ place: { accountId }, input }, at) => ({
      before: { latitude: null, longitude: null },
      after: { twinId: ids[at] as number, accountId, ...placeOf(input) },
    })),
  )
  await insertReferences(
    tx,
    objects.flatMap(({ place, input }, at) =>
      uniqueReferences(input.referenceIds).map(({ name, value }) => ({
        twin_id: ids[at] as number,
        account_id: place.accountId,
        name,
        value,
      })),
    ),
  )
  return ids
}

async function insertReferences(
  tx: Executor,
  references: readonly { twin_id: number; account_id: number; name: string; value: string }[],
): Promise<void> {
  if (references.length > 0) await tx.insertInto('twin_references').values(references).execute()
}

/** Updates the editable columns and increments the version. */
export async function updateObject(
  tx: Executor,
  row: ObjectRow,
  parentId: number | null,
  input: ObjectInput & TwinColumns,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('twins')
    .set({
      ...editable(input),
      parent_id: parentId,
      type: input.type,
      geo_polygon: input.geoPolygon === null ? null : jsonb(input.geoPolygon),
      contacts: jsonb(input.contacts),
      updated_at: now,
      version: sql<number>`version + 1`,
    })
    .where('id', '=', row.id)
    .execute()
  await appendMoves(tx, [
    { before: row, after: { twinId: row.id, accountId: row.accountId, ...placeOf(input) } },
  ])
  await replaceReferences(tx, row.id, row.accountId, input.referenceIds)
}

type Position = Pick<ObjectRow, 'latitude' | 'longitude'>

const placeOf = ({ latitude, longitude }: ObjectInput): Position => ({ latitude, longitude })

/** Appends an event for each position that a person or an import has changed. */
async function appendMoves(
  tx: Executor,
  edits: readonly { before: Position; after: Position & { twinId: number; accountId: number } }[],
): Promise<void> {
  await eventsOf(tx).appendAll(
    tx,
    edits.flatMap(({ before, after: { accountId, ...place } }) => {
      const isMoved = before.latitude !== place.latitude || before.longitude !== place.longitude
      if (!isMoved) return []
      return [twinMoved.event(accountId, { ...place, before: positionOf(before), by: 'edit', timeMs: null })]
    }),
  )
}

/** Increments the version of twins or devices after a change of something that belongs to them. */
export async function touchObjects(tx: Executor, ids: readonly number[], now: Date): Promise<void> {
  if (ids.length === 0) return
  await sql`update twins set updated_at = ${now}, version = version + 1 where id = any(${ints(ids)})`.execute(
    tx,
  )
}

/** Adds key-values to a twin or device; replaces existing keys. */
export async function addKeyValues(
  tx: Executor,
  id: number,
  keyValues: Readonly<Record<string, string>>,
  now: Date,
): Promise<void> {
  await sql`
    update twins set key_values = key_values || ${jsonb(keyValues)}, updated_at = ${now}, version = version + 1
    where id = ${id}`.execute(tx)
}

/** Disables or enables one twin or device on its own. */
export async function setDisabled(tx: Executor, id: number, disabled: boolean, now: Date): Promise<void> {
  const changed = await tx
    .updateTable('twins')
    .set({ disabled, disabled_with: null, updated_at: now, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .where('disabled', '!=', disabled)
    .returning('category')
    .executeTakeFirst()
  if (changed?.category === 'virtualDevice') await runHooks('devicesSwitched', tx, [id])
}

interface Moved extends Pick<TwinMoved, 'twinId' | 'latitude' | 'longitude' | 'before'> {
  accountId: number
}

/** Sets positions and increments versions; null keeps a coordinate. @returns the twins that moved */
export async function movePositions(db: Executor, moves: readonly TwinMove[]): Promise<Moved[]> {
  const { rows } = await sql<Moved & { latitudeBefore: number | null; longitudeBefore: number | null }>`
    update twins t set latitude = coalesce(m.latitude, t.latitude), longitude = coalesce(m.longitude, t.longitude),
      version = t.version + 1, moved_to = t.version + 1,
      moved_since = case when t.moved_to = t.version then t.moved_since else t.version end
    from unnest(${moves.map((move) => move.twinId)}::int[], ${moves.map((move) => move.latitude)}::float8[],
      ${moves.map((move) => move.longitude)}::float8[]) as m (id, latitude, longitude)
      join twins b on b.id = m.id
    where t.id = m.id and (t.latitude, t.longitude) is distinct from
      (coalesce(m.latitude, t.latitude), coalesce(m.longitude, t.longitude))
    returning t.id as "twinId", t.account_id as "accountId", t.latitude, t.longitude,
      b.latitude as "latitudeBefore", b.longitude as "longitudeBefore"`.execute(db)
  return rows.map(({ latitudeBefore: latitude, longitudeBefore: longitude, ...moved }) => ({
    ...moved,
    before: positionOf({ latitude, longitude }),
  }))
}

/** Writes reference ids only if they differ, to avoid needless cache invalidation. */
async function replaceReferences(
  tx: Executor,
  twinId: number,
  accountId: number,
  references: readonly ReferenceId[],
): Promise<void> {
  const wanted = uniqueReferences(references)
  const names = sql`${wanted.map(({ name }) => name)}::text[]`
  const values = sql`${wanted.map(({ value }) => value)}::text[]`
  await sql`
    with gone as (
      delete from twin_references
      where twin_id = ${twinId} and (name, value) not in (select * from unnest(${names}, ${values})))
    insert into twin_references (twin_id, account_id, name, value)
    select ${twinId}, ${accountId}, name, value from unnest(${names}, ${values}) as wanted (name, value)
    on conflict do nothing`.execute(tx)
}

/** Ancestors from the root down to the parent, without those outside the scopes. */
export async function loadAncestors(
  db: Executor,
  scopeIds: readonly number[],
  id: number,
): Promise<Ancestor[]> {
  const { rows } = await sql<{ ancestors: Ancestor[] }>`
    /* prepared: twins.loadAncestors */
    select ${ancestorsOf(sql`${id}::int`, ints(scopeIds))} as ancestors`.execute(db)
  return rows[0]?.ancestors ?? []
}

interface Ancestor {
  id: number
  title: string
  type: TwinType
}

/** The ancestors of a twin or device as JSON. */
export function ancestorsOf(id: RawBuilder<number>, scopeIds: RawBuilder<number[]>): RawBuilder<Ancestor[]> {
  return sql`(
    with recursive up as (
      select child.parent_id as id, 1 as height from twins child where child.id = ${id} and child.parent_id is not null
      union all
      select p.parent_id, up.height + 1 from twins p join up on p.id = up.id where p.parent_id is not null)
    select coalesce(json_agg(json_build_object('id', a.id, 'title', a.title, 'type', a.type) order by up.height desc), '[]')
    from up join twins a on a.id = up.id where a.scope_id = any(${scopeIds}))`
}

/** Name of the account and whether the parent is visible. */
export async function loadSurroundings(
  db: Executor,
  row: ObjectRow,
  twinScopeIds: readonly number[],
): Promise<{ accountName: string; parentId: number | null; parentTitle: string | null }> {
  const { rows } = await sql<{ accountName: string; parentId: number | null; parentTitle: string | null }>`
    select a.name as "accountName", t.id as "parentId", t.title as "parentTitle" from accounts a
    left join twins t on t.id = ${row.parentId} and ${inScopes(twinScopeIds)}
    where a.id = ${row.accountId}`.execute(db)
  return rows[0] ?? { accountName: '', parentId: null, parentTitle: null }
}

/** Deletes a twin or device with its states, rules and favourites. */
export async function deleteObject(tx: Executor, row: ObjectRow): Promise<void> {
  await forgetFavorites(tx, row.category, row.id)
  await tx.deleteFrom('twins').where('id', '=', row.id).execute()
}

/** The twins and devices that are in the scopes. */
export async function filterVisible(
  db: Executor,
  scopes: ScopesByCategory,
  ids: readonly number[],
): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select t.id from twins t where t.id = any(${ints(ids)}) and ${inScopesByCategory(scopes)}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
