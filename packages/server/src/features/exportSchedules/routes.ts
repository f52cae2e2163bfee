import {
  type ExportScheduleInput,
  type ExportTargetInput,
  exportScheduleLimits,
} from '@leitstand/contract/exportSchedules'
import { parseSearch } from '@leitstand/contract/search'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import type { ConnectorsFeature } from '../connectors/index.ts'
import { findPlace, periodOf, placesOf } from '../exports/index.ts'
import { ownerOf } from '../people/index.ts'
import type { RulesFeature } from '../rules/index.ts'
import { checkRoute } from './checkTarget.ts'
import type { ContentsOf } from './contents/index.ts'
import { linkRoute } from './link.ts'
import { mayChange, present, runsOf } from './present.ts'
import { findRun, insertManual, listRuns } from './runs.store.ts'
import {
  countSchedules,
  deleteSchedule,
  findSchedule,
  insertSchedule,
  listSchedules,
  lockSchedule,
  type ScheduleRow,
  type StoredTarget,
  setTargets,
  updateSchedule,
} from './schedules.store.ts'
import { isMissingSecret, keptSecrets, sealSecret } from './secrets.ts'
import { nextDue } from './times.ts'

export interface RouteParts {
  contentOf: ContentsOf
  connectors: Pick<ConnectorsFeature, 'messages'>
  rules: Pick<RulesFeature, 'introduce'>
}

/** Times that are shown while a frequency is chosen. */
const previewed = 3

/** Operations on export schedules. */
export function scheduleRoutes(ctx: Context, parts: RouteParts) {
  const { db, clock, secrets } = ctx
  const runs = runsOf(parts.contentOf)

  /** @throws AppError EXPORT_SCHEDULE_NOT_FOUND */
  async function required(tx: Executor, caller: Caller, id: number): Promise<ScheduleRow> {
    const row = await findSchedule(tx, placesOf(caller), id)
    if (!row) throw new AppError('EXPORT_SCHEDULE_NOT_FOUND', { id })
    return row
  }

  /** @throws AppError EXPORT_SCHEDULE_NOT_FOUND, NO_PERMISSION */
  async function requiredOwn(tx: Executor, caller: Caller, id: number): Promise<ScheduleRow> {
    const row = await required(tx, caller, id)
    if (mayChange(caller, row)) return row
    throw new AppError('NO_PERMISSION', { needed: [{ subject: 'all', action: 'manage' }] })
  }

  const shown = async (caller: Caller, rows: readonly ScheduleRow[]) => {
    const ids = rows.flatMap(({ targets }) =>
      targets.flatMap((target) => (target.kind === 'connector' ? [target.connectorId] : [])),
    )
    const found = await parts.connectors.messages.find(db, [...new Set(ids)])
    return rows.map((row) => present(caller, row, found))
  }

  /** @throws AppError EXPORT_SCHEDULE_NOT_FOUND */
  async function read(caller: Caller, id: number) {
    const [schedule] = await shown(caller, [await required(db, caller, id)])
    if (!schedule) throw new AppError('EXPORT_SCHEDULE_NOT_FOUND', { id })
    return schedule
  }

  /** Secrets of targets: given anew, or those of the schedule that is copied. @throws AppError EXPORT_SCHEDULE_SECRET_MISSING */
  async function secretsOf(
    caller: Caller,
    { targets, copyOf }: Pick<ExportScheduleInput, 'targets' | 'copyOf'>,
  ): Promise<(string | null)[]> {
    const original = copyOf === undefined ? undefined : await requiredOwn(db, caller, copyOf)
    const kept = original ? keptSecrets(secrets, original, targets) : []
    return targets.map((target, position) => {
      if (target.kind !== 'file') return null
      const secret = target.secret ?? kept[position] ?? null
      if (secret === null && isMissingSecret(target.target))
        throw new AppError('EXPORT_SCHEDULE_SECRET_MISSING', { position })
      return secret
    })
  }

  return {
    list: os.exportSchedules.list.handler(async ({ input, context: { caller } }) => {
      const { search, order_by: orderBy, offset, limit } = input
      const asked = { search: parseSearch(search), orderBy, offset, limit }
      const { items, total } = await listSchedules(db, placesOf(caller), asked)
      return { items: await shown(caller, items), total, offset, limit }
    }),
    get: os.exportSchedules.get.handler(({ input, context: { caller } }) => read(caller, input.id)),
    create: os.exportSchedules.create.handler(async ({ input, context: { caller } }) => {
      const { title, content, range, frequency, timeZone, active, accountId, targets } = input
      const place = await findPlace(db, caller, accountId)
      const now = clock.now()
      const dueAt = nextDue({ frequency, timeZone }, now)
      await parts.contentOf(content).check(caller, content, { title, place, range, timeZone, dueAt })
      const opened = await secretsOf(caller, input)
      const id = await db.transaction().execute(async (tx) => {
        const { ofAccountMax: max } = exportScheduleLimits
        if ((await countSchedules(tx, accountId)) >= max) throw new AppError('EXPORT_SCHEDULE_LIMIT', { max })
        await requireConnectors(tx, caller, input)
        const made = await insertSchedule(tx, {
          ...place,
          title,
          content,
          range,
          frequency,
          timeZone,
          active,
          nextAt: active ? dueAt : null,
          owner: ownerOf(caller),
          ownerName: caller.name,
          createdBy: caller.userId,
          createdAt: now,
        })
        const sealed = opened.map((secret, position) =>
          secret === null ? null : sealSecret(secrets, secret, { scheduleId: made, position }),
        )
        await setTargets(
          tx,
          made,
          targets.map((target, position) => storedTarget(target, sealed[position] ?? null)),
        )
        const recipients = targets.flatMap((target) => (target.kind === 'mail' ? target.recipients : []))
        await parts.rules.introduce(tx, caller, accountId, recipients)
        await note(tx, caller, 'create', { id: made, title, accountId })
        return made
      })
      return read(caller, id)
    }),
    update: os.exportSchedules.update.handler(async ({ input, context: { caller } }) => {
      const { id, version, title, active } = input
      await db.transaction().execute(async (tx) => {
        await lockSchedule(tx, id)
        const row = await requiredOwn(tx, caller, id)
        const at = clock.now()
        // One that stays switched on is due when it was.
        const nextAt = active ? (row.nextAt ?? nextDue(row, at)) : null
        if (!(await updateSchedule(tx, id, { version, title, active, nextAt, at })))
          throw new AppError('VERSION_CONFLICT', { id, version })
        const changes = {
          ...(row.title === title ? {} : { title: [row.title, title] }),
          ...(row.active === active ? {} : { active: [row.active, active] }),
        }
        await note(tx, caller, 'update', { ...row, title }, changes)
      })
      return read(caller, id)
    }),
    delete: os.exportSchedules.delete.handler(async ({ input: { id }, context: { caller } }) => {
      await db.transaction().execute(async (tx) => {
        await lockSchedule(tx, id)
        const row = await requiredOwn(tx, caller, id)
        await deleteSchedule(tx, id)
        await note(tx, caller, 'delete', row)
      })
      return { ok: true } as const
    }),
    run: os.exportSchedules.run.handler(async ({ input: { id }, context: { caller } }) => {
      const runId = await db.transaction().execute(async (tx) => {
        await lockSchedule(tx, id)
        const row = await requiredOwn(tx, caller, id)
        const made = await insertManual(tx, id, clock.now())
        if (made === undefined) throw new AppError('EXPORT_SCHEDULE_RUNNING', { id })
        await note(tx, caller, 'run', row)
        return made
      })
      const run = await findRun(db, runId)
      if (!run) throw new AppError('EXPORT_SCHEDULE_NOT_FOUND', { id })
      return { ...run, hasFile: false }
    }),
    runs: os.exportSchedules.runs.handler(async ({ input, context: { caller } }) => {
      const { id, offset, limit } = input
      const row = await required(db, caller, id)
      const { items, total } = await listRuns(db, id, { offset, limit })
      return { items: await runs(row, items), total, offset, limit }
    }),
    preview: os.exportSchedules.preview.handler(async ({ input: { frequency, range, timeZone } }) => {
      const times: Date[] = []
      for (let at = clock.now(); times.length < previewed; times.push(at))
        at = nextDue({ frequency, timeZone }, at)
      return times.map((at) => {
        const { startMs, endMs } = periodOf(range, timeZone, at)
        return {
          at: at.toISOString(),
          start: new Date(startMs).toISOString(),
          end: new Date(endMs).toISOString(),
        }
      })
    }),
    checkTarget: checkRoute(ctx, secretsOf),
    file: linkRoute(ctx, parts.contentOf),
  }

  /** @throws AppError EXPORT_SCHEDULE_CONNECTOR_INVALID */
  async function requireConnectors(
    tx: Executor,
    caller: Caller,
    { accountId, targets }: Pick<ExportScheduleInput, 'accountId' | 'targets'>,
  ): Promise<void> {
    for (const target of targets) {
      if (target.kind !== 'connector') continue
      const { connectorId, topic } = target
      const needs = topic === null ? 'use' : 'command'
      const found = (await parts.connectors.messages.usable(tx, caller, [connectorId], needs)).get(
        connectorId,
      )
      const fits = topic === null ? found?.delivers : found?.mayPublish(topic)
      if (!fits || found?.accountId !== accountId)
        throw new AppError('EXPORT_SCHEDULE_CONNECTOR_INVALID', { connectorId })
    }
  }
}

function storedTarget(target: ExportTargetInput, secret: string | null): StoredTarget {
  return target.kind === 'file' ? { kind: 'file', target: target.target, secret } : target
}

function note(
  tx: Executor,
  caller: Caller,
  action: 'create' | 'update' | 'delete' | 'run',
  { id, title, accountId }: Pick<ScheduleRow, 'id' | 'title' | 'accountId'>,
  changes?: object,
): Promise<void> {
  return recordActivity(tx, caller, {
    action,
    subject: 'ExportSchedule',
    objectId: id,
    objectTitle: title,
    accountId,
    changes,
    ...(action === 'run' ? { isChange: false as const } : {}),
  })
}
