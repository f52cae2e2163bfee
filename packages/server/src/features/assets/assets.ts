import type { Asset, AssetRow, AssetRowIssue } from '@leitstand/contract/assets'
import type { Context } from '../../platform/context.ts'
import { type Executor, violatedUnique } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { recordActivities, recordActivity } from '../activity/index.ts'
import { insertObjects, placeFor, type TwinsFeature } from '../twins/index.ts'
import { endLoan, insertLoan } from './loans.store.ts'
import { type AssetSight, sightOf } from './policy.ts'
import { findAsset, insertAssets, type LockedAsset, lockAsset, takenNumbers, writeAsset } from './store.ts'
import {
  type Device,
  endTracker,
  findDevice,
  findDevicesByExternalId,
  insertTrackers,
} from './trackers.store.ts'
import { findZone, findZonesByTitle } from './zones.store.ts'

export type Ctx = Pick<Context, 'db' | 'clock'>
export type Twins = Pick<TwinsFeature, 'move'>

/** @throws AppError ASSET_NOT_FOUND */
export async function required(db: Executor, sight: AssetSight, id: number): Promise<Asset> {
  const asset = await findAsset(db, sight, id)
  if (asset === undefined) throw new AppError('ASSET_NOT_FOUND', { id })
  return asset
}

/** @throws AppError ASSET_NOT_FOUND, NO_PERMISSION */
async function lockManaged(tx: Executor, sight: AssetSight, id: number): Promise<LockedAsset> {
  const asset = await lockAsset(tx, sight, id)
  if (asset === undefined) throw new AppError('ASSET_NOT_FOUND', { id })
  if (!sight.manage.includes(asset.scopeId))
    throw new AppError('NO_PERMISSION', { subject: 'IsAssetMgmt', action: 'manage' })
  return asset
}

/** Changes an asset in a transaction and notes it. @returns the asset, after what `work` returned was called */
async function change(
  ctx: Ctx,
  caller: Caller,
  id: number,
  work: (
    tx: Executor,
    asset: LockedAsset,
    sight: AssetSight,
  ) => Promise<{ action: string; changes: object; after?: () => void } | undefined>,
): Promise<Asset> {
  const sight = sightOf(caller)
  const after = await ctx.db.transaction().execute(async (tx) => {
    const asset = await lockManaged(tx, sight, id)
    const done = await work(tx, asset, sight)
    if (done === undefined) return undefined
    await recordActivity(tx, caller, {
      action: done.action,
      subject: 'Asset',
      objectId: id,
      objectTitle: asset.title,
      accountId: asset.accountId,
      changes: done.changes,
    })
    return done.after
  })
  after?.()
  return required(ctx.db, sight, id)
}

/** @throws AppError ASSET_NOT_FOUND, NO_PERMISSION, VERSION_CONFLICT, ASSET_NUMBER_TAKEN, ASSET_ZONE_NOT_FOUND */
export async function edit(
  ctx: Ctx,
  caller: Caller,
  {
    id,
    version,
    ...values
  }: { id: number; version: number; category: string; inventoryNumber: string; homeZoneId: number | null },
): Promise<Asset> {
  try {
    return await change(ctx, caller, id, async (tx, before, sight) => {
      if (version !== before.version) throw new AppError('VERSION_CONFLICT')
      const { homeZoneId } = values
      const zone =
        homeZoneId === null
          ? null
          : await findZone(tx, sight, { id: homeZoneId, accountId: before.accountId })
      if (zone === undefined) throw new AppError('ASSET_ZONE_NOT_FOUND', { id: homeZoneId })
      await writeAsset(tx, id, values)
      const fields = ['category', 'inventoryNumber', 'homeZoneId'] as const
      const changes = Object.fromEntries(
        fields.flatMap((field) =>
          before[field] === values[field] ? [] : [[field, [before[field], values[field]]]],
        ),
      )
      return { action: 'update', changes }
    })
  } catch (error) {
    if (violatedUnique(error) === 'assets_number') throw new AppError('ASSET_NUMBER_TAKEN')
    throw error
  }
}

/** @throws AppError ASSET_NOT_FOUND, NO_PERMISSION, VDEVICE_NOT_FOUND, ASSET_TRACKER_TAKEN */
export async function bind(
  ctx: Ctx,
  twins: Twins,
  caller: Caller,
  { id, deviceId }: { id: number; deviceId: number },
): Promise<Asset> {
  try {
    return await change(ctx, caller, id, async (tx, { accountId }, sight) => {
      const device = await findDevice(tx, sight, { id: deviceId, accountId })
      if (device === undefined) throw new AppError('VDEVICE_NOT_FOUND', { id: deviceId })
      const at = ctx.clock.now()
      await endTracker(tx, id, { by: caller.name, at })
      await insertTrackers(tx, [{ twinId: id, device }], { by: caller.name, at })
      const after = await follow(twins, tx, [{ twinId: id, device }])
      return { action: 'bind', changes: { tracker: device.title }, after }
    })
  } catch (error) {
    if (violatedUnique(error) === 'asset_trackers_device') throw new AppError('ASSET_TRACKER_TAKEN')
    throw error
  }
}

/** Assets are where their new trackers are. */
function follow(
  twins: Twins,
  tx: Executor,
  bound: readonly { twinId: number; device: Device }[],
): Promise<() => void> {
  return twins.move(
    tx,
    bound.flatMap(({ twinId, device: { latitude, longitude } }) =>
      latitude === null || longitude === null ? [] : [{ twinId, latitude, longitude, time: null }],
    ),
  )
}

/** @throws AppError ASSET_NOT_FOUND, NO_PERMISSION, ASSET_NOT_TRACKED */
export function unbind(ctx: Ctx, caller: Caller, id: number): Promise<Asset> {
  return change(ctx, caller, id, async (tx) => {
    const title = await endTracker(tx, id, { by: caller.name, at: ctx.clock.now() })
    if (title === undefined) throw new AppError('ASSET_NOT_TRACKED')
    return { action: 'unbind', changes: { tracker: title } }
  })
}

/** @throws AppError ASSET_NOT_FOUND, NO_PERMISSION, ASSET_LENT */
export function lend(
  ctx: Ctx,
  caller: Caller,
  { id, borrower, dueAt }: { id: number; borrower: string; dueAt: string | null },
): Promise<Asset> {
  return change(ctx, caller, id, async (tx) => {
    if (!(await insertLoan(tx, id, { borrower, dueAt, at: ctx.clock.now() })))
      throw new AppError('ASSET_LENT')
    return { action: 'lend', changes: { borrower, dueAt } }
  })
}

/** @throws AppError ASSET_NOT_FOUND, NO_PERMISSION, ASSET_NOT_LENT */
export function giveBack(ctx: Ctx, caller: Caller, id: number): Promise<Asset> {
  return change(ctx, caller, id, async (tx) => {
    const borrower = await endLoan(tx, id, ctx.clock.now())
    if (borrower === undefined) throw new AppError('ASSET_NOT_LENT')
    return { action: 'giveBack', changes: { borrower } }
  })
}

/** Fields of a twin that an import leaves as they are for new ones. */
const plainTwin = {
  description: '',
  tags: [],
  zones: [],
  icon: null,
  address: '',
  latitude: null,
  longitude: null,
  floorNumber: null,
  floorName: '',
  keyValues: {},
  referenceIds: [],
  type: 'trackable',
  geoPolygon: null,
  contacts: [],
} as const

/**
 * Makes assets below a twin, all or none.
 * @throws AppError DTWIN_NOT_FOUND, NO_PERMISSION, ASSET_ROWS_INVALID with the first issues
 */
export async function importAssets(
  ctx: Ctx,
  twins: Twins,
  caller: Caller,
  { parentId, rows }: { parentId: number; rows: readonly AssetRow[] },
): Promise<number[]> {
  const sight = sightOf(caller)
  const { ids, after } = await ctx.db.transaction().execute(async (tx) => {
    const place = await placeFor(tx, caller, 'digitalTwin', parentId, undefined)
    if (!sight.manage.includes(place.scopeId))
      throw new AppError('NO_PERMISSION', { subject: 'IsAssetMgmt', action: 'manage' })
    const { accountId } = place
    const { zoneIds, devices, issues } = await resolve(tx, sight, accountId, rows)
    if (issues.length > 0) throw new AppError('ASSET_ROWS_INVALID', { rows: issues.slice(0, issuesMax) })
    const at = ctx.clock.now()
    const ids = await insertObjects(
      tx,
      rows.map(({ title }) => ({ place, category: 'digitalTwin', input: { ...blank(), title } })),
      at,
    )
    const made = rows.map((row, index) => ({ ...row, twinId: ids[index] as number }))
    await insertAssets(
      tx,
      made.map(({ twinId, category, inventoryNumber, homeZone }) => {
        return { twinId, accountId, category, inventoryNumber, homeZoneId: zoneIds.get(homeZone) ?? null }
      }),
    )
    const bound = made.flatMap(({ twinId, tracker }) => {
      const device = devices.get(tracker)
      return device === undefined ? [] : [{ twinId, device }]
    })
    await insertTrackers(tx, bound, { by: caller.name, at })
    await recordActivities(
      tx,
      caller,
      made.map(({ twinId, title }) => {
        return { action: 'create', subject: 'DigitalTwin', objectId: twinId, objectTitle: title, accountId }
      }),
    )
    return { ids, after: await follow(twins, tx, bound) }
  })
  after()
  return ids
}

const blank = () => ({
  ...plainTwin,
  tags: [...plainTwin.tags],
  zones: [...plainTwin.zones],
  referenceIds: [...plainTwin.referenceIds],
  contacts: [...plainTwin.contacts],
})

const issuesMax = 100

/** What the words in the rows of an import mean. */
async function resolve(
  tx: Executor,
  sight: AssetSight,
  accountId: number,
  rows: readonly AssetRow[],
): Promise<{ zoneIds: Map<string, number>; devices: Map<string, Device>; issues: AssetRowIssue[] }> {
  const given = (field: 'inventoryNumber' | 'homeZone' | 'tracker') => [
    ...new Set(rows.map((row) => row[field]).filter((text) => text !== '')),
  ]
  const taken = await takenNumbers(tx, accountId, given('inventoryNumber'))
  const zones = Map.groupBy(
    await findZonesByTitle(tx, sight, accountId, given('homeZone')),
    ({ title }) => title,
  )
  const devices = Map.groupBy(
    await findDevicesByExternalId(tx, sight, accountId, given('tracker')),
    ({ externalId }) => externalId,
  )
  const seen = { inventoryNumber: new Set<string>(), tracker: new Set<string>() }
  const issues = rows.flatMap((row, index): AssetRowIssue[] => {
    const isTwice = (field: 'inventoryNumber' | 'tracker') => {
      const is = row[field] !== '' && seen[field].has(row[field])
      seen[field].add(row[field])
      return is
    }
    const { inventoryNumber, homeZone, tracker } = row
    const found: [AssetRowIssue['field'], AssetRowIssue['why'] | undefined][] = [
      [
        'inventoryNumber',
        isTwice('inventoryNumber') ? 'twice' : taken.has(inventoryNumber) ? 'taken' : undefined,
      ],
      ['homeZone', homeZone === '' ? undefined : whyNot(zones.get(homeZone))],
      [
        'tracker',
        tracker === ''
          ? undefined
          : isTwice('tracker')
            ? 'twice'
            : (whyNot(devices.get(tracker)) ?? (devices.get(tracker)?.[0]?.isTaken ? 'taken' : undefined)),
      ],
    ]
    return found.flatMap(([field, why]) => (why === undefined ? [] : [{ row: index, field, why }]))
  })
  const firsts = <T>(groups: Map<string, T[]>) =>
    [...groups].flatMap(([name, [first]]): [string, T][] => (first === undefined ? [] : [[name, first]]))
  return {
    zoneIds: new Map(firsts(zones).map(([title, { id }]) => [title, id])),
    devices: new Map(firsts(devices)),
    issues,
  }
}

const whyNot = (found: readonly unknown[] | undefined): 'unknown' | 'ambiguous' | undefined => {
  if (found === undefined || found.length === 0) return 'unknown'
  return found.length > 1 ? 'ambiguous' : undefined
}
