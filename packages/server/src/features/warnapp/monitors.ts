import { createHash } from 'node:crypto'
import {
  type WarnMediaRole,
  type WarnMonitor,
  type WarnMonitorInput,
  type WarnMonitorItem,
  type WarnState,
  type WarnStateInput,
  warnLimits,
} from '@leitstand/contract/warnapp'
import { worstLevel } from '@leitstand/contract/warnLevels'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { demandRoomForFiles } from '../accounts/index.ts'
import { recordActivity } from '../activity/index.ts'
import { forgetFavorites } from '../people/index.ts'
import { checkMedia } from './media.ts'
import { sightOf, type WarnSight } from './policy.ts'
import {
  countMonitors,
  deleteMedia,
  deleteMonitor,
  findMonitor,
  insertMedia,
  insertMonitor,
  listMonitors,
  lockMonitor,
  lockTwin,
  type MonitorFilter,
  type MonitorRow,
  readMedia,
  readStates,
  readTypes,
  replaceStates,
  touchMonitor,
} from './store.ts'

type Ctx = Pick<Context, 'db' | 'clock' | 'reader'>

/** Monitors with their levels. */
export async function listed(
  { db, clock }: Pick<Ctx, 'db' | 'clock'>,
  sight: WarnSight,
  filter: Omit<MonitorFilter, 'scopeIds'>,
  page: { offset: number; limit: number },
): Promise<{ items: WarnMonitorItem[]; total: number }> {
  const { items, total } = await listMonitors(db, { ...filter, scopeIds: sight.read }, page)
  const ids = items.map(({ id }) => id)
  const [states, media] = await Promise.all([readStates(db, ids, clock.now()), readMedia(db, ids)])
  return {
    items: items.map((row) => {
      const ofIt = states.get(row.id) ?? []
      const times = ofIt.map(({ time }) => time)
      return {
        ...partsOf(row, sight, ofIt, media.get(row.id)),
        states: ofIt.length,
        oldest: times.includes(null) ? null : ((times as string[]).sort()[0] ?? null),
      }
    }),
    total,
  }
}

/** A monitor the caller may see, with its newest values. @throws AppError WARN_MONITOR_NOT_FOUND */
export async function shown(
  { db, clock }: Pick<Ctx, 'db' | 'clock'>,
  sight: WarnSight,
  id: number,
): Promise<WarnMonitor> {
  const row = await findMonitor(db, sight.read, id)
  if (row === undefined) throw new AppError('WARN_MONITOR_NOT_FOUND', { id })
  const now = clock.now()
  const [states, media] = await Promise.all([readStates(db, [id], now), readMedia(db, [id])])
  const ofIt = states.get(id) ?? []
  return { ...partsOf(row, sight, ofIt, media.get(id)), states: ofIt, now: now.toISOString() }
}

type Media = Awaited<ReturnType<typeof readMedia>> extends Map<number, infer M> ? M : never

function partsOf(
  { scopeId, ...row }: MonitorRow,
  { manage }: WarnSight,
  states: readonly WarnState[],
  media: Media = {},
) {
  return {
    ...row,
    title: titleOf(row),
    image: media.image ?? null,
    sound: media.sound ?? null,
    level: worstLevel(states.map(({ level }) => level)),
    editable: manage.includes(scopeId),
  }
}

const titleOf = ({ ownTitle, twinTitle }: Pick<MonitorRow, 'ownTitle' | 'twinTitle'>): string =>
  ownTitle === '' ? twinTitle : ownTitle

/**
 * Creates or changes the monitor of a twin.
 * @throws AppError DTWIN_NOT_FOUND, WARN_MONITOR_NOT_FOUND, WARN_MONITOR_DUPLICATE, VERSION_CONFLICT, WARN_STATE_INVALID,
 *   WARN_MONITORS_LIMIT
 */
export async function saveMonitor(ctx: Ctx, caller: Caller, input: WarnMonitorInput): Promise<WarnMonitor> {
  const sight = sightOf(caller)
  const { id, version, title, states } = input
  await ctx.db.transaction().execute(async (tx) => {
    const twin = await lockTwin(tx, sight.manage, id)
    if (twin === undefined) throw new AppError('DTWIN_NOT_FOUND', { id })
    const before = await lockMonitor(tx, sight.manage, id)
    if (before === undefined && version !== null) throw new AppError('WARN_MONITOR_NOT_FOUND', { id })
    if (before !== undefined && version === null) throw new AppError('WARN_MONITOR_DUPLICATE', { id })
    if (before !== undefined && before.version !== version) throw new AppError('VERSION_CONFLICT')
    await demandStates(tx, id, states)
    const was = (await readStates(tx, [id], ctx.clock.now())).get(id) ?? []
    if (before === undefined) {
      if ((await countMonitors(tx, twin.accountId)) >= warnLimits.monitorsMax)
        throw new AppError('WARN_MONITORS_LIMIT', { max: warnLimits.monitorsMax })
      await insertMonitor(tx, id, title, ctx.clock.now())
    } else await touchMonitor(tx, id, title)
    await replaceStates(tx, id, states)
    const after = (await readStates(tx, [id], ctx.clock.now())).get(id) ?? []
    await note(tx, caller, {
      action: before === undefined ? 'create' : 'update',
      monitor: { id, title: title === '' ? twin.title : title, accountId: twin.accountId },
      changes: {
        ...(before?.ownTitle === title ? {} : { title: [before?.ownTitle ?? null, title] }),
        ...changesOf(was, after),
      },
    })
  })
  return shown(ctx, sight, id)
}

/** What changed of the states of a monitor, by their titles. */
function changesOf(was: readonly WarnState[], is: readonly WarnState[]): Record<string, unknown> {
  const described = (states: readonly WarnState[]) =>
    states.map(({ title, limits, silentMinutes }) => ({ title, limits, silentMinutes }))
  const [before, after] = [described(was), described(is)]
  return JSON.stringify(before) === JSON.stringify(after) ? {} : { states: [before, after] }
}

/** @throws AppError WARN_STATE_INVALID: of another twin, or its limits are for values of another type */
async function demandStates(tx: Executor, twinId: number, states: readonly WarnStateInput[]): Promise<void> {
  const types = await readTypes(
    tx,
    twinId,
    states.map(({ stateId }) => stateId),
  )
  for (const [index, { stateId, limits }] of states.entries()) {
    const type = types.get(stateId)?.valueType
    const fits = limits.kind === 'number' ? type === 'number' : type === 'text' || type === 'boolean'
    if (!fits) throw new AppError('WARN_STATE_INVALID', { stateId, field: `states.${index}.limits` })
  }
}

/** @throws AppError WARN_MONITOR_NOT_FOUND */
export async function removeMonitor({ db }: Pick<Ctx, 'db'>, caller: Caller, id: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const monitor = await lockManaged(tx, sightOf(caller), id)
    await deleteMonitor(tx, id)
    await forgetFavorites(tx, 'warnMonitor', id)
    await note(tx, caller, { action: 'delete', monitor, changes: {} })
  })
}

/** Locks a monitor the caller may change. @throws AppError WARN_MONITOR_NOT_FOUND, NO_PERMISSION */
async function lockManaged(tx: Executor, { read, manage }: WarnSight, id: number) {
  const row = await lockMonitor(tx, read, id)
  if (row === undefined) throw new AppError('WARN_MONITOR_NOT_FOUND', { id })
  if (!manage.includes(row.scopeId))
    throw new AppError('NO_PERMISSION', { subject: 'IsWarnapp', action: 'manage' })
  return { id, title: titleOf(row), accountId: row.accountId }
}

/**
 * Stores image or sound of a monitor instead of the one before.
 * @throws AppError of `checkMedia` and `demandRoomForFiles`, WARN_MONITOR_NOT_FOUND, NO_PERMISSION
 */
export async function storeMedia(
  ctx: Ctx,
  caller: Caller,
  { id, role, file }: { id: number; role: WarnMediaRole; file: File },
): Promise<WarnMonitor> {
  const sight = sightOf(caller)
  // Checked first, so that files are only parsed for callers who may change the monitor.
  const { accountId } = await ctx.db.transaction().execute((tx) => lockManaged(tx, sight, id))
  const given = Buffer.from(await file.arrayBuffer())
  const { type, name, bytes } = await checkMedia(ctx.reader, {
    bytes: given,
    name: file.name,
    role,
    accountId,
  })
  const hash = createHash('sha256').update(bytes).digest('hex')
  await ctx.db.transaction().execute(async (tx) => {
    const monitor = await lockManaged(tx, sight, id)
    const before = await deleteMedia(tx, id, role)
    await demandRoomForFiles(tx, caller, monitor.accountId, bytes.length)
    await insertMedia(tx, id, role, { name, type, hash, bytes })
    await touchMonitor(tx, id)
    await note(tx, caller, { action: 'update', monitor, changes: { [role]: [before ?? null, name] } })
  })
  return shown(ctx, sight, id)
}

/** @throws AppError WARN_MONITOR_NOT_FOUND, WARN_MEDIA_NOT_FOUND, NO_PERMISSION */
export async function dropMedia(
  ctx: Ctx,
  caller: Caller,
  { id, role }: { id: number; role: WarnMediaRole },
): Promise<WarnMonitor> {
  const sight = sightOf(caller)
  await ctx.db.transaction().execute(async (tx) => {
    const monitor = await lockManaged(tx, sight, id)
    const before = await deleteMedia(tx, id, role)
    if (before === undefined) throw new AppError('WARN_MEDIA_NOT_FOUND', { id, role })
    await touchMonitor(tx, id)
    await note(tx, caller, { action: 'update', monitor, changes: { [role]: [before, null] } })
  })
  return shown(ctx, sight, id)
}

function note(
  tx: Executor,
  caller: Caller,
  {
    action,
    monitor,
    changes,
  }: {
    action: 'create' | 'update' | 'delete'
    monitor: { id: number; title: string; accountId: number }
    changes: object
  },
): Promise<void> {
  return recordActivity(tx, caller, {
    action,
    subject: 'WarnMonitor',
    objectId: monitor.id,
    objectTitle: monitor.title,
    accountId: monitor.accountId,
    changes,
  })
}
