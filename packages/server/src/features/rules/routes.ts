import type { JsonValue } from '@leitstand/contract/common'
import type { Rule } from '@leitstand/contract/rules'
import type { Context } from '../../platform/context.ts'
import { type Executor, violatedUnique } from '../../platform/db/index.ts'
import { parseTextFilter } from '../../platform/db/textFilter.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import type { AlarmChange, AlarmsFeature } from '../alarms/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { readScopes, requireWrite, stateScopes } from '../twins/index.ts'
import { evaluate, type Inputs } from './evaluate.ts'
import { readInputs } from './inputs.ts'
import { checkRule, checkScripts, refuseIssues } from './save.ts'
import {
  deleteRule,
  findRule,
  findStates,
  findTwin,
  insertRule,
  listRules,
  type RuleFields,
  type RuleRow,
  updateRule,
} from './store/definitions.ts'
import { listExecutions } from './store/executions.ts'
import { checkDraft } from './validate.ts'

export interface RouteParts {
  series: SeriesFeature
  alarms: AlarmsFeature
  /** called after every committed change of a rule */
  changed(): void
}

/** The operations of the rules. Rules belong to twins: who may open twins in a scope (`DigitalTwin`) sees the rules of
 * its twins and devices, who may change them changes the rules. */
export function ruleRoutes(ctx: Context, parts: RouteParts) {
  const readable = (caller: Caller) => readScopes(caller, 'digitalTwin')

  async function readOne(caller: Caller, id: number): Promise<Rule> {
    const row = await findRule(ctx.db, id, readable(caller))
    if (row === undefined) throw new AppError('DDR_NOT_FOUND', { id })
    const [rule] = await present(ctx.db, caller, [row])
    return rule as Rule
  }

  /** Runs a change and then tells the cache and the live feed. */
  async function change<T>(work: (tx: Executor, alarms: AlarmChange[]) => Promise<T>): Promise<T> {
    const alarms: AlarmChange[] = []
    try {
      const answer = await ctx.db.transaction().execute((tx) => work(tx, alarms))
      parts.changed()
      parts.alarms.announce(alarms)
      return answer
    } catch (error) {
      if (violatedUnique(error) === 'rules_twin_id_title_key') throw new AppError('DDR_DUPLICATE_NAME')
      throw error
    }
  }

  return {
    list: os.ddr.list.handler(async ({ input, context: { caller } }) => {
      const { dtwinId: twinId, offset, limit } = input
      const page = await listRules(ctx.db, readable(caller), { twinId, orderBy: 'title', offset, limit })
      return { items: await present(ctx.db, caller, page.items), total: page.total, offset, limit }
    }),
    overviewList: os.ddr.overviewList.handler(async ({ input, context: { caller } }) => {
      const { offset, limit } = input
      const filter = { ...input, search: parseTextFilter(input.search) }
      const page = await listRules(ctx.db, readable(caller), filter)
      return { items: await present(ctx.db, caller, page.items), total: page.total, offset, limit }
    }),
    executions: os.ddr.executions.handler(async ({ input, context: { caller } }) => {
      const page = await listExecutions(ctx.db, readable(caller), input)
      return { ...page, offset: input.offset, limit: input.limit }
    }),
    errornousExecutions: os.ddr.errornousExecutions.handler(async ({ input, context: { caller } }) => {
      const page = await listExecutions(ctx.db, readable(caller), { ...input, results: ['error'] })
      return { ...page, offset: input.offset, limit: input.limit }
    }),
    executionHistory: os.ddr.executionHistory.handler(async ({ input, context: { caller } }) => {
      const { id: ruleId, results, offset, limit } = input
      if (!(await findRule(ctx.db, ruleId, readable(caller)))) {
        throw new AppError('DDR_NOT_FOUND', { id: ruleId })
      }
      const page = await listExecutions(ctx.db, readable(caller), { ruleId, results, offset, limit })
      return { ...page, offset, limit }
    }),
    get: os.ddr.get.handler(({ input, context: { caller } }) => readOne(caller, input.id)),
    create: os.ddr.create.handler(async ({ input, context: { caller } }) => {
      const { dtwinId, ...fields } = input
      await checkScripts(ctx.scripts, fields.metrics)
      const id = await change(async (tx) => {
        const twin = await writableTwin(tx, caller, dtwinId)
        await checkRule(tx, caller, null, fields)
        const created = await insertRule(tx, twin, fields, ctx.clock.now())
        await recordActivity(tx, caller, {
          action: 'create',
          subject: 'Rule',
          objectId: created,
          objectTitle: fields.title,
          accountId: twin.account_id,
          changes: { twinId: dtwinId, active: fields.active },
        })
        return created
      })
      return readOne(caller, id)
    }),
    update: os.ddr.update.handler(async ({ input, context: { caller } }) => {
      const { id, version, ...fields } = input
      await checkScripts(ctx.scripts, fields.metrics)
      await change(async (tx, alarms) => {
        const before = await writableRule(tx, caller, id)
        if (before.version !== version) throw new AppError('VERSION_CONFLICT', { version: before.version })
        await checkRule(tx, caller, id, fields)
        const at = ctx.clock.now()
        await updateRule(tx, id, version, fields, at)
        // Nobody would resolve an alarm of a rule that no longer looks.
        const looks = fields.active && fields.actions.some(({ kind }) => kind === 'alarm')
        if (!looks) alarms.push(...(await parts.alarms.resolve(tx, [{ ruleId: id, at }])))
        await recordActivity(tx, caller, {
          action: 'update',
          subject: 'Rule',
          objectId: id,
          objectTitle: fields.title,
          accountId: before.accountId,
          changes: changedFields(before, fields),
        })
      })
      return readOne(caller, id)
    }),
    delete: os.ddr.delete.handler(async ({ input, context: { caller } }) => {
      await change(async (tx, alarms) => {
        const rule = await writableRule(tx, caller, input.id)
        alarms.push(...(await parts.alarms.resolve(tx, [{ ruleId: input.id, at: ctx.clock.now() }])))
        await deleteRule(tx, input.id)
        await recordActivity(tx, caller, {
          action: 'delete',
          subject: 'Rule',
          objectId: input.id,
          objectTitle: rule.title,
          accountId: rule.accountId,
        })
      })
      return { ok: true as const }
    }),
    testConditions: os.ddr.testConditions.handler(async ({ input, context: { caller } }) => {
      refuseIssues(checkDraft(input))
      const stateIds = input.metrics.map(({ stateId }) => stateId)
      const states = await findStates(ctx.db, stateIds, stateScopes(caller))
      const hidden = stateIds.find((id) => !states.has(id))
      if (hidden !== undefined) throw new AppError('DTWIN_STATE_NOT_FOUND', { stateId: hidden })
      return testConditions(ctx, parts.series, input)
    }),
  }
}

/** The rules with the names of their states; names of states the caller may not see stay empty. */
async function present(db: Executor, caller: Caller, rows: readonly RuleRow[]): Promise<Rule[]> {
  const stateIds = rows.flatMap(({ metrics }) => metrics.map(({ stateId }) => stateId))
  const states = await findStates(db, stateIds, stateScopes(caller))
  return rows.map((row) => ({
    id: row.id,
    dtwinId: row.twinId,
    twinTitle: row.twinTitle,
    twinCategory: row.twinCategory,
    accountId: row.accountId,
    title: row.title,
    active: row.active,
    metrics: row.metrics.map((metric) => {
      const state = states.get(metric.stateId)
      return {
        ...metric,
        stateTitle: state?.title ?? '',
        stateKey: state?.key ?? '',
        unit: state?.unit ?? '',
        twinTitle: state?.twinTitle ?? '',
      }
    }),
    conditions: row.conditions,
    throttleHours: row.throttleHours,
    actions: row.actions,
    lastEvaluatedAt: row.lastEvaluatedAt?.toISOString() ?? null,
    lastFiredAt: row.lastFiredAt?.toISOString() ?? null,
    lastResult: row.lastResult,
    version: row.version,
  }))
}

/** @throws AppError DTWIN_NOT_FOUND when the caller may not see it, NO_PERMISSION when it may not change it */
async function writableTwin(tx: Executor, caller: Caller, id: number) {
  const twin = await findTwin(tx, id, readScopes(caller, 'digitalTwin'))
  if (twin === undefined) throw new AppError('DTWIN_NOT_FOUND', { id })
  requireWrite(caller, 'digitalTwin', twin.scope_id)
  return twin
}

async function writableRule(tx: Executor, caller: Caller, id: number): Promise<RuleRow> {
  const rule = await findRule(tx, id, readScopes(caller, 'digitalTwin'), { lock: true })
  if (rule === undefined) throw new AppError('DDR_NOT_FOUND', { id })
  requireWrite(caller, 'digitalTwin', rule.scopeId)
  return rule
}

/** Names of the fields that changed, for the activity log. */
function changedFields(before: RuleFields, after: RuleFields): { changed: string[]; active: boolean } {
  const names = ['title', 'active', 'throttleHours', 'metrics', 'conditions', 'actions'] as const
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return { changed, active: after.active }
}

/** Evaluates a draft on the values of now, or on those given, without acting. */
async function testConditions(
  ctx: Context,
  series: SeriesFeature,
  draft: Parameters<typeof checkDraft>[0] & { inputs?: Record<string, JsonValue> | undefined },
) {
  const given = draft.inputs ?? {}
  const metrics = draft.metrics.filter(({ alias }) => !Object.hasOwn(given, alias))
  // Drafts of one caller share no sandbox with live rules: account 0 does not exist.
  const request = {
    rule: { id: 'rule:draft', accountId: 0, metrics },
    until: ctx.clock.now(),
    values: new Map<number, JsonValue>(),
  }
  const { db, scripts } = ctx
  const [read] = await readInputs({ db, scripts, current: series.current }, [request])
  if (read?.kind === 'error') throw new AppError('SCRIPT_ERROR', undefined, read.message)
  const values: Inputs = { ...read?.inputs, ...given }
  const missing = draft.metrics.some(
    ({ alias, abortIfNull }) => abortIfNull && (values[alias] ?? null) === null,
  )
  const branch = evaluate(draft.conditions, values)
  return {
    met: !missing && branch.met,
    aborted: missing,
    inputs: values,
    branch: branch as unknown as JsonValue,
  }
}
