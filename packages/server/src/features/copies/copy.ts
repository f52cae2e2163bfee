import type { CopyParts } from '@leitstand/contract/copies'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import { copyFiles } from '../files/index.ts'
import { copyPlan } from '../floors/index.ts'
import { findRule, listRuleIds, type RulesFeature, usesOfRule, withOtherStates } from '../rules/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import {
  bothScopes,
  copyMapSettings,
  copyQueries,
  copyStates,
  findObject,
  insertObjects,
  linkCopies,
  lockLinks,
  type ObjectRow,
  placeFor,
  readScopes,
  stateScopes,
  type TwinPair,
  writeScopes,
} from '../twins/index.ts'
import { fateOf } from './fate.ts'
import { type Copied, findCopiedStates, findCopyOf, listComputed, listHiddenRules } from './store.ts'

export interface CopyTools {
  ctx: Context
  series: Pick<SeriesFeature, 'recompute'>
  rules: Pick<RulesFeature, 'add' | 'changed'>
}

/** A twin to be copied, and where to. */
export interface CopyPlan {
  from: number
  parentId: number | null
  /** for the top of an account */
  accountId?: number | undefined
  /** absent: that of the twin */
  title?: string | undefined
  /** instead of those of the twin */
  changes?: CopyChanges | undefined
}

export type CopyChanges = Partial<Pick<ObjectRow, (typeof changeable)[number]>>

const changeable = [
  'description',
  'type',
  'tags',
  'zones',
  'address',
  'latitude',
  'longitude',
  'geoPolygon',
  'keyValues',
  'referenceIds',
] as const

/**
 * Copies twins with their states, without what these are computed from: call `completeCopy` once all copies exist. The
 * parents must exist.
 * @throws AppError DTWIN_NOT_FOUND, NO_PERMISSION on the scope of a parent
 */
export async function copyTwins(
  { ctx }: Pick<CopyTools, 'ctx'>,
  tx: Executor,
  caller: Caller,
  plans: readonly CopyPlan[],
  parts: CopyParts,
): Promise<TwinPair[]> {
  const now = ctx.clock.now()
  const objects = []
  for (const { from, parentId, accountId, title, changes } of plans) {
    const row = await findObject(tx, 'digitalTwin', readScopes(caller, 'digitalTwin'), from)
    if (!row) throw new AppError('DTWIN_NOT_FOUND', { id: from })
    const place = await placeFor(tx, caller, 'digitalTwin', parentId, accountId)
    const referenceIds = parts.referenceIds ? row.referenceIds : []
    const input = { ...row, referenceIds, ...changes, title: title ?? row.title }
    objects.push({ place, category: 'digitalTwin' as const, input: inputOf(input) })
  }
  const ids = await insertObjects(tx, objects, now)
  const pairs = plans.map(({ from }, at) => ({ from, to: ids[at] as number }))
  await copyMapSettings(tx, pairs)
  const connectors = parts.bindings ? writeScopes(caller, 'digitalTwin') : []
  const devices = readScopes(caller, 'virtualDevice')
  const isAdministrator = caller.can('super.system', 'manage')
  if (parts.states) await copyStates(tx, pairs, { connectors, devices, isAdministrator }, now)
  return pairs
}

/** The fields of a twin that a copy takes over. */
function inputOf(row: Omit<ObjectRow, 'id' | 'category'>) {
  const { title, description, type, tags, zones, icon, address, latitude, longitude } = row
  const { floorNumber, floorName, geoPolygon, contacts, keyValues, referenceIds } = row
  return {
    title,
    description,
    type,
    tags,
    zones,
    icon,
    address,
    latitude,
    longitude,
    floorNumber,
    floorName,
    geoPolygon,
    contacts,
    keyValues,
    referenceIds,
  }
}

/**
 * Adds to a copy what refers to other copies, its rules and its files, and records it.
 * @returns states to be computed after the commit
 * @throws AppError DTWIN_NOT_FOUND when the twin or its copy is gone
 */
export async function completeCopy(
  tools: CopyTools,
  tx: Executor,
  caller: Caller,
  { pair, copied, parts }: { pair: TwinPair; copied: Copied; parts: CopyParts },
): Promise<number[]> {
  const now = tools.ctx.clock.now()
  await lockLinks(tx)
  const source = await findObject(tx, 'digitalTwin', readScopes(caller, 'digitalTwin'), pair.from)
  const copy = await findObject(tx, 'digitalTwin', writeScopes(caller, 'digitalTwin'), pair.to, {
    lock: 'change',
  })
  if (!source || !copy) throw new AppError('DTWIN_NOT_FOUND', { id: pair.from })
  const computed = parts.states ? await linkStates(tx, caller, { pair, copied, parts }, now) : []
  const rules = parts.rules ? await addRules(tools, tx, caller, { pair, copied, copy }) : 0
  const { accountId } = copy
  const files = parts.files ? await copyFiles(tx, 'digitalTwin', { ...pair, accountId }, now) : 0
  if (files > 0) await copyPlan(tx, pair, distance(source, copy))
  await recordActivity(tx, caller, {
    action: 'create',
    subject: 'DigitalTwin',
    objectId: copy.id,
    objectTitle: copy.title,
    accountId,
    changes: { copyOf: source.title, copyOfId: source.id, rules, files },
  })
  return computed
}

/** Degrees of longitude and latitude from one twin to another; none unless both have a position. */
function distance(from: ObjectRow, to: ObjectRow): [number, number] {
  if (from.longitude === null || from.latitude === null || to.longitude === null || to.latitude === null)
    return [0, 0]
  return [to.longitude - from.longitude, to.latitude - from.latitude]
}

async function linkStates(
  tx: Executor,
  caller: Caller,
  { pair, copied, parts }: { pair: TwinPair; copied: Copied; parts: CopyParts },
  now: Date,
): Promise<number[]> {
  const computed = await listComputed(tx, stateScopes(caller), pair, copied)
  const linked = computed.filter((each) => fateOf(each, parts) === 'linked')
  await linkCopies(
    tx,
    linked.map(({ id, definition, sources }) => ({ id, definition, sources: new Map(sources) })),
    now,
  )
  const twinIdOf = (twinId: number) => findCopyOf(tx, twinId, copied)
  const found = await copyQueries(tx, caller, pair, { twinIdOf, now })
  return [...linked.map(({ id }) => id), ...found]
}

/** @returns how many */
async function addRules(
  { rules }: CopyTools,
  tx: Executor,
  caller: Caller,
  { pair, copied, copy }: { pair: TwinPair; copied: Copied; copy: ObjectRow },
): Promise<number> {
  const scopes = { read: stateScopes(caller), write: bothScopes(caller, 'write') }
  const hidden = new Set(await listHiddenRules(tx, scopes, [pair.from], copied))
  const ids = (await listRuleIds(tx, pair.from)).filter((id) => !hidden.has(id))
  for (const id of ids) {
    const rule = await findRule(tx, id, readScopes(caller, 'digitalTwin'))
    if (rule === undefined) continue
    const used = usesOfRule(rule).map((use) => use.id)
    const copies = await findCopiedStates(tx, used, copied)
    await rules.add(
      tx,
      caller,
      copy,
      withOtherStates(
        rule,
        (stateId) => copies.get(stateId) ?? stateId,
        (twinId) => (twinId === pair.from ? copy.id : twinId),
      ),
    )
  }
  return ids.length
}
