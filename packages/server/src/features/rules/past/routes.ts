import { childrenMax } from '@leitstand/contract/rules'
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
import { reachOfDraft } from '../many.ts'
import { statesOf } from '../metrics/index.ts'
import { isRelated, type Related } from '../metrics/related/index.ts'
import { checkConditionScript, checkScripts } from '../save.ts'
import { findRule, findStates } from '../store/definitions.ts'
import { readPlaces } from '../store/others.ts'
import { checkDraft } from '../validate.ts'
import { hoursOf } from './job.ts'
import { childrenOf, resolved, tooManyOf } from './resolve.ts'
import { notReplayed } from './simulation.ts'
import { findInputs, findOpenRun, findPlace, findRun, insertRun, listRuns, type RunRow } from './store.ts'

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
  refuseIssues(checkDraft(rule))
  const scopeIds = readScopes(caller, 'digitalTwin')
  const twin = await findPlace(db, dtwinId, scopeIds)
  if (twin === undefined) throw new AppError('DTWIN_NOT_FOUND', { id: dtwinId })
  const { rule: read, missing } = await resolved(db, dtwinId, rule)
  const known = ruleId === undefined ? null : await findRule(db, ruleId, scopeIds)
  if (known === undefined || (known !== null && !(await runsOn(db, known, dtwinId))))
    throw new AppError('DDR_NOT_FOUND', { id: ruleId })
  // As far as the rule would see, which belongs to this twin or to another one.
  const home =
    known === null || known.template !== null ? null : { accountId: known.accountId, scopeId: known.scopeId }
  const { scopes } = await reachOfDraft(
    db,
    caller,
    home ?? { accountId: twin.account_id, scopeId: twin.scope_id },
    null,
  )
  const draft = await childrenOf(db, scopes, dtwinId, rule)
  refuseIssues([
    ...missing.map((index) => ({ path: ['metrics', String(index), 'stateKey'], ...noSuchState })),
    ...tooManyOf(rule, draft).map((index) => ({ path: ['metrics', String(index), 'of'], ...tooMany })),
  ])
  const states = await visibleStates(db, caller, read, draft)
  const hidden = statesOf(read.metrics).find((id) => !states.has(id))
  if (hidden !== undefined) throw new AppError('DTWIN_STATE_NOT_FOUND', { stateId: hidden })
  const inputs = known === null ? noInputs : await findInputs(db, known.id, dtwinId)
  const children = { draft, stored: inputs }
  const stored = known === null || tooManyOf(known, inputs).length > 0 ? null : partOf(known)
  const payer = await homeAccountOf(db, caller)
  await checkScripts(scripts, rule.metrics, payer)
  await checkConditionScript(scripts, rule, payer)
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
    const mayCompare = stored !== null && (await seesAll(tx, caller, twin.id, stored, inputs))
    await insertRun(tx, {
      jobId: job.id,
      twinId: twin.id,
      ruleId: known?.id ?? null,
      ...period,
      rule,
      stored: mayCompare ? stored : null,
      children,
    })
    return job
  })
}

const tooMany = {
  message: `at most ${childrenMax} children have a run on the past`,
  text: 'pastChildren',
  params: { max: String(childrenMax) },
} as const
const noSuchState = { message: 'the twin has no such state', text: 'pastNoState' } as const
const noInputs: Related = new Map()

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

function visibleStates(db: Executor, caller: Caller, rule: PastRule, children: Related) {
  return findStates(db, allStatesOf(rule, children), stateScopes(caller))
}

/** The states that a rule reads. @param children those of its metrics over children */
function allStatesOf({ metrics }: PastRule, children: Related): number[] {
  const ofChildren = metrics.filter(isRelated).flatMap(({ alias }) => children.get(alias) ?? [])
  return [...new Set([...statesOf(metrics), ...ofChildren])]
}

async function seesAll(
  db: Executor,
  caller: Caller,
  twinId: number,
  rule: PastRule,
  children: Related,
): Promise<boolean> {
  const { rule: read } = await resolved(db, twinId, rule)
  const states = await visibleStates(db, caller, read, children)
  return allStatesOf(read, children).every((id) => states.has(id))
}

/**
 * A run for those who may see its twin and all states it reads.
 * @throws AppError BACKGROUND_JOB_NOT_FOUND
 */
async function readRun(db: Executor, caller: Caller, jobId: number): Promise<PastRun> {
  const row = await findRun(db, jobId, readScopes(caller, 'digitalTwin'))
  if (row === undefined || !(await seesAll(db, caller, row.twinId, row.rule, row.children.draft)))
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
  { result, stored, twinId, children }: RunRow,
): Promise<PastRun['result']> {
  if (result === null || stored === null) return result
  return (await seesAll(db, caller, twinId, stored, children.stored)) ? result : { ...result, stored: null }
}
