import type { PastRule, PastRun } from '@leitstand/contract/rules/past'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { os } from '../../../platform/http/implement.ts'
import type { JobsFeature } from '../../jobs/index.ts'
import { homeAccountOf } from '../../people/index.ts'
import { readScopes, stateScopes } from '../../twins/index.ts'
import { refuseIssues } from '../issues.ts'
import { statesOf } from '../metrics/index.ts'
import { isRelated } from '../metrics/related/index.ts'
import { checkConditionScript, checkScripts } from '../save.ts'
import { findRule, findStates } from '../store/definitions.ts'
import { readPlaces } from '../store/others.ts'
import type { Issue } from '../types.ts'
import { checkDraft } from '../validate.ts'
import { hoursOf } from './job.ts'
import { resolved } from './resolve.ts'
import { notReplayed } from './simulation.ts'
import { findOpenRun, findPlace, findRun, insertRun, listRuns, type RunRow } from './store.ts'

interface Tools {
  ctx: Context
  jobs: JobsFeature
}

interface Wish {
  dtwinId: number
  ruleId?: number | undefined
  days: number
  rule: PastRule
}

const dayMs = 86_400_000

/** Operations that run rules on the past. */
export function pastRoutes(tools: Tools) {
  const { db } = tools.ctx
  return {
    runOnPast: os.ddr.runOnPast.handler(({ input, context: { caller } }) => start(tools, caller, input)),
    pastRun: os.ddr.pastRun.handler(({ input, context: { caller } }) => readRun(db, caller, input.jobId)),
    pastRuns: os.ddr.pastRuns.handler(async ({ input, context: { caller } }) => {
      const { dtwinId: twinId, ruleId = null, offset, limit } = input
      const scopeIds = readScopes(caller, 'digitalTwin')
      const { items, total } = await listRuns(db, scopeIds, { twinId, ruleId, offset, limit })
      return { items, total, offset, limit }
    }),
  }
}

async function start({ ctx, jobs }: Tools, caller: Caller, wish: Wish) {
  const { dtwinId, ruleId, days, rule } = wish
  const { db, scripts, clock } = ctx
  refuseIssues([...checkDraft(rule), ...unfit(rule)])
  const scopeIds = readScopes(caller, 'digitalTwin')
  const twin = await findPlace(db, dtwinId, scopeIds)
  if (twin === undefined) throw new AppError('DTWIN_NOT_FOUND', { id: dtwinId })
  const { rule: read, missing } = await resolved(db, dtwinId, rule)
  refuseIssues(missing.map((index) => ({ path: ['metrics', String(index), 'stateKey'], ...noSuchState })))
  const states = await visibleStates(db, caller, read)
  const hidden = statesOf(read.metrics).find((id) => !states.has(id))
  if (hidden !== undefined) throw new AppError('DTWIN_STATE_NOT_FOUND', { stateId: hidden })
  const known = ruleId === undefined ? null : await findRule(db, ruleId, scopeIds)
  if (known === undefined || (known !== null && !(await runsOn(db, known, dtwinId))))
    throw new AppError('DDR_NOT_FOUND', { id: ruleId })
  const stored = known === null || unfit(known).length > 0 ? null : partOf(known)
  const home = await homeAccountOf(db, caller)
  await checkScripts(scripts, rule.metrics, home)
  await checkConditionScript(scripts, rule, home)
  const toMs = clock.now().getTime()
  const period = { fromMs: toMs - days * dayMs, toMs }
  const { account_id: accountId, scope_id: scopeId } = twin
  return db.transaction().execute(async (tx) => {
    const open = await findOpenRun(tx, { userId: caller.userId, accountId })
    if (open !== undefined) throw new AppError('DDR_PAST_RUNNING', { jobId: open })
    const job = await jobs.create(
      caller,
      {
        type: 'rule-past',
        title: rule.title,
        accountId,
        scopeId,
        resourceType: twin.category as 'digitalTwin' | 'virtualDevice',
        resourceId: twin.id,
        params: {},
        total: hoursOf(period),
        demands: {
          permissions: [...readers],
          scopeIds: [scopeId, ...[...states.values()].map((state) => state.scopeId)],
          everywhere: true,
        },
      },
      { days, ...(ruleId === undefined ? {} : { ruleId }) },
      [],
      tx,
    )
    // Values of states that the caller may not see must not be shown by a comparison either.
    const mayCompare = stored !== null && (await seesAll(tx, caller, twin.id, stored))
    await insertRun(tx, {
      jobId: job.id,
      twinId: twin.id,
      ruleId: known?.id ?? null,
      ...period,
      rule,
      stored: mayCompare ? stored : null,
    })
    return job
  })
}

const notReplayable = {
  message: 'metrics over children have no run on the past yet',
  text: 'pastChildren',
} as const
const noSuchState = { message: 'the twin has no such state', text: 'pastNoState' } as const

function unfit({ metrics }: Pick<PastRule, 'metrics'>): Issue[] {
  return metrics.flatMap((metric, index) =>
    isRelated(metric) && metric.of === 'children'
      ? [{ path: ['metrics', String(index), 'of'], ...notReplayable }]
      : [],
  )
}

/** Whether a rule belongs to a twin or runs on it. */
async function runsOn(
  db: Executor,
  { id: ruleId, twinId }: { id: number; twinId: number | null },
  placeId: number,
): Promise<boolean> {
  return twinId === placeId || (await readPlaces(db, [{ ruleId, twinId: placeId }])).size > 0
}

/** Who may read what a run reads, see `stateScopes`. */
const readers = [
  { subject: 'DigitalTwin', action: 'read' },
  { subject: 'DigitalTwin', action: 'write' },
  { subject: 'DigitalTwin', action: 'manage' },
  { subject: 'DigitalTwinStates', action: 'read' },
  { subject: 'VirtualDevice', action: 'read' },
  { subject: 'VirtualDevice', action: 'write' },
  { subject: 'VirtualDevice', action: 'manage' },
] as const

function partOf({ title, triggers, metrics, conditions, executionTimes, throttleHours }: PastRule): PastRule {
  return { title, triggers, metrics, conditions, executionTimes, throttleHours }
}

function visibleStates(db: Executor, caller: Caller, { metrics }: PastRule) {
  return findStates(db, statesOf(metrics), stateScopes(caller))
}

async function seesAll(db: Executor, caller: Caller, twinId: number, rule: PastRule): Promise<boolean> {
  const { rule: read } = await resolved(db, twinId, rule)
  const states = await visibleStates(db, caller, read)
  return statesOf(read.metrics).every((id) => states.has(id))
}

/**
 * A run for those who may see its twin and all states it reads.
 * @throws AppError BACKGROUND_JOB_NOT_FOUND
 */
async function readRun(db: Executor, caller: Caller, jobId: number): Promise<PastRun> {
  const row = await findRun(db, jobId, readScopes(caller, 'digitalTwin'))
  if (row === undefined || !(await seesAll(db, caller, row.twinId, row.rule)))
    throw new AppError('BACKGROUND_JOB_NOT_FOUND')
  return {
    jobId,
    dtwinId: row.twinId,
    ruleId: row.ruleId,
    from: new Date(row.fromMs).toISOString(),
    to: new Date(row.toMs).toISOString(),
    rule: row.rule,
    notReplayed: notReplayed(row.rule),
    result: await resultFor(db, caller, row),
  }
}

async function resultFor(
  db: Executor,
  caller: Caller,
  { result, stored, twinId }: RunRow,
): Promise<PastRun['result']> {
  if (result === null || stored === null) return result
  return (await seesAll(db, caller, twinId, stored)) ? result : { ...result, stored: null }
}
