import {
  boundsOfCorners,
  type Corners,
  type Floor,
  floorLimits,
  type Overlay,
} from '@leitstand/contract/floors'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { viewOf } from '../objects/index.ts'

interface PlanRow {
  fileId: number | null
  corners: number[]
  opacity: number
}
type FloorRow = Omit<Floor, 'overlay'> & PlanRow

function toOverlay({ fileId, corners, opacity }: PlanRow): Overlay | null {
  if (fileId === null) return null
  const pairs = [0, 2, 4, 6].map((at) => [corners[at], corners[at + 1]]) as Corners
  // A real number has seven digits: 0.8 is read as 0.800000011920929.
  return { fileId, corners: pairs, ...boundsOfCorners(pairs), opacity: Number(opacity.toFixed(3)) }
}

/**
 * The floors below a twin, or those of the building of a floor, from top to bottom; one more than `floorsMax` if there are more.
 * @param scopeIds of the twins the caller may see
 */
export async function listFloors(db: Executor, scopeIds: readonly number[], id: number): Promise<Floor[]> {
  const { rows } = await sql<FloorRow>`
    with recursive root as (
      select coalesce(p.id, t.id) as id from twins t
      left join twins p on p.id = t.parent_id and t.type = 'floor' and p.scope_id = ${anyOf(scopeIds)}
      where t.id = ${id}),
    down as (
      select id from root
      union all
      select t.id from twins t join down on t.parent_id = down.id where t.category = 'digitalTwin')
    select t.id as "twinId", t.title, t.floor_number as "floorNumber", t.floor_name as "floorName",
      p.file_id as "fileId", p.corners, p.opacity
    from twins t left join floor_plans p on p.twin_id = t.id
    where t.id in (select id from down) and t.type = 'floor' and t.scope_id = ${anyOf(scopeIds)}
    order by t.floor_number desc nulls last, t.title collate natural_order, t.id
    limit ${floorLimits.floorsMax + 1}`.execute(db)
  return rows.map(({ twinId, title, floorNumber, floorName, ...plan }) => ({
    twinId,
    title,
    floorNumber,
    floorName,
    overlay: toOverlay(plan),
  }))
}

/**
 * Places the copied picture of a plan like the original, moved as far as the copied twin lies from the original one.
 * @param shift degrees of longitude and latitude
 */
export async function copyPlan(
  tx: Executor,
  { from, to }: { from: number; to: number },
  shift: readonly [longitude: number, latitude: number],
): Promise<void> {
  await sql`
    insert into floor_plans (twin_id, file_id, corners, opacity)
    select ${to}, f.id, array(
        select corner + case when at % 2 = 1 then ${shift[0]}::float8 else ${shift[1]}::float8 end
        from unnest(p.corners) with ordinality as c (corner, at) order by at), p.opacity
    from floor_plans p, ${viewOf('floorPlans')} f where p.twin_id = ${from} and f.twin_id = ${to}`.execute(tx)
}

/** Whether a file is the plan of a twin. */
export async function isPlanOf(db: Executor, fileId: number, twinId: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${viewOf('floorPlans')} f where f.id = ${fileId} and f.twin_id = ${twinId}`.execute(db)
  return rows.length > 0
}

/** The picture of the plan of a twin, placed or not. */
export async function findPlan(db: Executor, twinId: number): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select f.id from ${viewOf('floorPlans')} f where f.twin_id = ${twinId}`.execute(db)
  return rows[0]?.id
}

export async function findOverlay(db: Executor, twinId: number): Promise<Overlay | null> {
  const row = await db
    .selectFrom('floor_plans')
    .select(['file_id as fileId', 'corners', 'opacity'])
    .where('twin_id', '=', twinId)
    .executeTakeFirst()
  return row ? toOverlay(row) : null
}

export async function savePlan(
  tx: Executor,
  twinId: number,
  { fileId, corners, opacity }: Pick<Overlay, 'fileId' | 'corners' | 'opacity'>,
): Promise<void> {
  const plan = { file_id: fileId, corners: corners.flat(), opacity }
  await tx
    .insertInto('floor_plans')
    .values({ twin_id: twinId, ...plan })
    .onConflict((conflict) => conflict.column('twin_id').doUpdateSet(plan))
    .execute()
}
