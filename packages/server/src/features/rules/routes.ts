import type { JsonValue } from '@leitstand/contract/common'
import type { Branch, Rule } from '@leitstand/contract/rules'
import { parseSearch } from '@leitstand/contract/search'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { apart } from '../../platform/scripts/index.ts'
import type { DownlinksFeature } from '../downlinks/index.ts'
import { titleFor } from '../drivers/index.ts'
import { accountsOfScopes } from '../rights/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { readScopes, stateScopes } from '../twins/index.ts'
import type { Recipients } from './actions/email/recipients.ts'
import {
  askRecipient,
  type ChangeParts,
  changeRule,
  createRule,
  exceptTwin,
  removeRule,
  runRule,
} from './change.ts'
import { convertConditions } from './conditions/convert.ts'
import { evaluate, noMemory } from './conditions/evaluate.ts'
import { isScript, runScripts, scriptBranch } from './conditions/script.ts'
import type { Inputs } from './conditions/types.ts'
import { draftInputs } from './draftInputs.ts'
import { holidayCalendars } from './executionTimes/holidays.ts'
import { firstDay } from './figures.ts'
import { refuseIssues } from './issues.ts'
import { reachOfDraft } from './many.ts'
import { isStateMetric, ownKeysOf, statesOf } from './metrics/index.ts'
import type { QuietResults } from './quiet.ts'
import { readOutcomes } from './settling.ts'
import {
  findRule,
  findStates,
  findTwin,
  hasScope,
  listRules,
  type RuleFields,
  type RuleRow,
} from './store/definitions.ts'
import { type ExecutionFilter, listExecutions } from './store/executions.ts'
import { listFigures } from './store/figures.ts'
import { countTwins, listTwins, previewTwins } from './store/many.ts'
import { testAction } from './testing.ts'
import { checkDraft } from './validate.ts'
import { readVersions } from './versions.ts'

export interface RouteParts extends ChangeParts {
  series: SeriesFeature
  downlinks: DownlinksFeature
  quiet: Pick<QuietResults, 'write'>
}

const readable = (caller: Caller) => readScopes(caller, 'digitalTwin')

/**
 * Operations on rules. Rules belong to twins: users who may see twins in a scope (`DigitalTwin`) see the
 * rules of its twins and devices, users who may change them change the rules.
 */
export function ruleRoutes(parts: RouteParts) {
  const { ctx } = parts
  const executions = async (caller: Caller, filter: ExecutionFilter) => {
    const managed = caller.scopeIds('all', 'manage')
    await parts.quiet.write()
    const page = await listExecutions(ctx.db, readable(caller), filter, async (ids) =>
      readOutcomes(parts, ids, [...(await accountsOfScopes(ctx.db, managed))]),
    )
    return { ...page, offset: filter.offset, limit: filter.limit }
  }

  return {
    list: os.ddr.list.handler(async ({ input, context: { caller } }) => {
      const { dtwinId: twinId, offset, limit } = input
      const page = await listRules(ctx.db, readable(caller), { twinId, orderBy: 'title', offset, limit })
      return { items: await present(ctx.db, caller, page.items), total: page.total, offset, limit }
    }),
    overviewList: os.ddr.overviewList.handler(async ({ input, context: { caller } }) => {
      const { offset, limit } = input
      const filter = { ...input, search: parseSearch(input.search) }
      const page = await listRules(ctx.db, readable(caller), filter)
      return { items: await present(ctx.db, caller, page.items), total: page.total, offset, limit }
    }),
    executions: os.ddr.executions.handler(({ input, context: { caller } }) =>
      executions(caller, { ...toFilter(input), results: input.results }),
    ),
    errornousExecutions: os.ddr.errornousExecutions.handler(({ input, context: { caller } }) =>
      executions(caller, { ...toFilter(input), failed: true }),
    ),
    figures: os.ddr.figures.handler(async ({ input, context: { caller } }) => {
      const { days, search, offset, limit, ...filter } = input
      const since = firstDay(ctx.clock.now(), days)
      const page = await listFigures(ctx.db, readable(caller), {
        ...filter,
        since,
        search: parseSearch(search),
        offset,
        limit,
      })
      return { ...page, offset, limit }
    }),
    versions: os.ddr.versions.handler(async ({ input: { id, offset, limit }, context: { caller } }) => {
      await findReadable(ctx.db, caller, id)
      return { ...(await readVersions(ctx.db, id, { offset, limit })), offset, limit }
    }),
    executionHistory: os.ddr.executionHistory.handler(async ({ input, context: { caller } }) => {
      const { id: ruleId, dtwinId: twinId, ...filter } = input
      await findReadable(ctx.db, caller, ruleId)
      return executions(caller, { ...filter, ruleId, twinId })
    }),
    get: os.ddr.get.handler(({ input, context: { caller } }) => readOne(parts, caller, input.id)),
    create: os.ddr.create.handler(async ({ input, context: { caller } }) => {
      const { dtwinId, ...fields } = input
      return readOne(parts, caller, await createRule(parts, caller, dtwinId, toFields(fields)))
    }),
    update: os.ddr.update.handler(async ({ input, context: { caller } }) => {
      const { id, version, ...fields } = input
      await changeRule(parts, caller, { id, version }, toFields(fields))
      return readOne(parts, caller, id)
    }),
    twins: os.ddr.twins.handler(async ({ input, context: { caller } }) => {
      const { id, search, ...filter } = input
      const { many } = await findReadable(ctx.db, caller, id)
      const { offset, limit } = filter
      if (many === null) return { items: [], total: 0, offset, limit }
      const rule = { id, except: many.except }
      const page = await listTwins(ctx.db, readable(caller), rule, { ...filter, search: parseSearch(search) })
      return { ...page, offset, limit }
    }),
    previewTwins: os.ddr.previewTwins.handler(async ({ input, context: { caller } }) => {
      const { dtwinId, many, metrics, offset, limit } = input
      const twin = await findTwin(ctx.db, dtwinId, readable(caller))
      if (twin === undefined) throw new AppError('DTWIN_NOT_FOUND', { id: dtwinId })
      const home = { accountId: twin.account_id, scopeId: twin.scope_id }
      const reach = await reachOfDraft(ctx.db, caller, home, many)
      const question = { many, reach, keys: ownKeysOf(metrics) }
      return { ...(await previewTwins(ctx.db, question, { offset, limit })), offset, limit }
    }),
    exceptTwin: os.ddr.exceptTwin.handler(async ({ input, context: { caller } }) => {
      const { id, dtwinId: twinId, except } = input
      await exceptTwin(parts, caller, { id, twinId }, except)
      return readOne(parts, caller, id)
    }),
    run: os.ddr.run.handler(async ({ input, context: { caller } }) => {
      await runRule(parts, caller, { id: input.id, twinId: input.dtwinId })
      return { ok: true as const }
    }),
    askRecipient: os.ddr.askRecipient.handler(async ({ input, context: { caller } }) => {
      await askRecipient(parts, caller, input.id, input.address)
      return readOne(parts, caller, input.id)
    }),
    delete: os.ddr.delete.handler(async ({ input, context: { caller } }) => {
      await removeRule(parts, caller, input.id)
      return { ok: true as const }
    }),
    mailDelivery: os.ddr.mailDelivery.handler(async ({ input: { accountId }, context: { caller } }) => {
      const scopeIds = caller.scopeIds('DigitalTwin', 'write')
      if (!(await hasScope(ctx.db, accountId, scopeIds))) throw new AppError('TENANT_NOT_FOUND')
      return { hasServer: await ctx.mail.hasServer(ctx.db, accountId) }
    }),
    convertConditions: os.ddr.convertConditions.handler(({ input }) => ({
      conditions: convertConditions(input.conditions),
    })),
    holidayCalendars: os.ddr.holidayCalendars.handler(({ input: { offset, limit } }) => {
      const all = holidayCalendars()
      return { items: all.slice(offset, offset + limit), total: all.length, offset, limit }
    }),
    testExecuteAction: os.ddr.testExecuteAction.handler(({ input, context: { caller } }) =>
      testAction(parts, caller, input),
    ),
    testConditions: os.ddr.testConditions.handler(async ({ input, context: { caller } }) => {
      refuseIssues(checkDraft(input))
      const stateIds = statesOf(input.metrics)
      const states = await findStates(ctx.db, stateIds, stateScopes(caller))
      const hidden = stateIds.find((id) => !states.has(id))
      if (hidden !== undefined) throw new AppError('DTWIN_STATE_NOT_FOUND', { stateId: hidden })
      const { dtwinId } = input
      if (dtwinId !== undefined && !(await findTwin(ctx.db, dtwinId, readable(caller))))
        throw new AppError('DTWIN_NOT_FOUND', { id: dtwinId })
      return testConditions(ctx, parts.series, caller, input)
    }),
  }
}

function toFilter(input: {
  accountIds?: number[] | undefined
  search?: string | undefined
  dtwinId?: number | undefined
  from?: string | undefined
  to?: string | undefined
  offset: number
  limit: number
}): ExecutionFilter {
  const { accountIds, dtwinId: twinId, from, to, offset, limit } = input
  const time = (text: string | undefined) => (text === undefined ? undefined : new Date(text))
  return {
    accountIds,
    search: parseSearch(input.search),
    twinId,
    from: time(from),
    to: time(to),
    offset,
    limit,
  }
}

function toFields<T extends { pausedUntil: string | null }>(
  fields: T,
): Omit<T, 'pausedUntil'> & Pick<RuleFields, 'pausedUntil'> {
  const { pausedUntil } = fields
  return { ...fields, pausedUntil: pausedUntil === null ? null : new Date(pausedUntil) }
}

async function findReadable(db: Executor, caller: Caller, id: number): Promise<RuleRow> {
  const row = await findRule(db, id, readable(caller))
  if (row === undefined) throw new AppError('DDR_NOT_FOUND', { id })
  return row
}

async function readOne({ ctx, recipients }: RouteParts, caller: Caller, id: number): Promise<Rule> {
  const row = await findReadable(ctx.db, caller, id)
  const [rule] = await present(ctx.db, caller, [row])
  return { ...(rule as Rule), recipients: await recipients.ofRule(ctx.db, row.accountId, row.actions) }
}

/** For external recipients of mails from rules. */
export function ruleMailRoutes(recipients: Recipients) {
  return {
    question: os.ruleMail.question.handler(({ input }) => recipients.question(input.token)),
    answer: os.ruleMail.answer.handler(({ input, context: { ip } }) =>
      recipients.answer(input.token, input.accept, ip),
    ),
  }
}

/** The rules with the names of their states; names of states the caller may not see are empty. */
async function present(db: Executor, caller: Caller, rows: readonly RuleRow[]): Promise<Rule[]> {
  const stateIds = rows.flatMap(({ metrics }) => statesOf(metrics))
  const states = await findStates(db, stateIds, stateScopes(caller))
  const counts = await countTwins(
    db,
    rows.flatMap(({ id, many }) => (many === null ? [] : [id])),
  )
  return rows.map((row) => ({
    id: row.id,
    dtwinId: row.twinId,
    twinTitle: row.twinTitle,
    twinCategory: row.twinCategory,
    template: row.template,
    accountId: row.accountId,
    title: row.title,
    active: row.active,
    pausedUntil: row.pausedUntil?.toISOString() ?? null,
    many: row.many,
    twins: row.many === null ? null : (counts.get(row.id) ?? { total: 0, beyond: 0 }),
    triggers: row.triggers,
    metrics: row.metrics.map((metric) => {
      if (!isStateMetric(metric)) return metric
      const state = states.get(metric.stateId)
      return {
        ...metric,
        stateTitle: state === undefined ? '' : titleFor(caller, state),
        stateKey: state?.key ?? '',
        unit: state?.unit ?? '',
        twinTitle: state?.twinTitle ?? '',
      }
    }),
    conditions: row.conditions,
    executionTimes: row.executionTimes,
    throttleHours: row.throttleHours,
    actions: row.actions,
    lastEvaluatedAt: row.lastEvaluatedAt?.toISOString() ?? null,
    lastFiredAt: row.lastFiredAt?.toISOString() ?? null,
    lastResult: row.lastResult,
    fixed: row.template !== null,
    version: row.version,
  }))
}

/** Evaluates a draft with current values, or with given ones, without running actions. */
async function testConditions(
  ctx: Context,
  series: SeriesFeature,
  caller: Caller,
  draft: Parameters<typeof checkDraft>[0] & {
    dtwinId?: number | undefined
    inputs?: Record<string, JsonValue> | undefined
  },
) {
  const given = draft.inputs ?? {}
  const values = await draftInputs(ctx, series, caller, draft, given)
  const missing = draft.metrics.some(
    ({ alias, abortIfNull }) => abortIfNull && (values[alias] ?? null) === null,
  )
  const { branch, dueAt } = await answer(ctx.scripts, draft, values, missing, ctx.clock.now())
  return {
    met: !missing && branch.met,
    aborted: missing,
    inputs: values,
    branch: branch as unknown as JsonValue,
    dueAt: dueAt?.toISOString() ?? null,
  }
}

/** The conditions of a draft with these values; a script is not run when one is missing. */
async function answer(
  scripts: Context['scripts'],
  { conditions, metrics }: Parameters<typeof checkDraft>[0],
  inputs: Inputs,
  missing: boolean,
  at: Date,
): Promise<{ branch: Branch; dueAt: Date | null }> {
  if (!isScript(conditions))
    return evaluate(conditions, inputs, { metrics, at, recheck: false, memory: noMemory })
  if (missing) return { branch: scriptBranch(false), dueAt: null }
  const given = Object.fromEntries(metrics.map(({ alias }) => [alias, inputs[alias] ?? null]))
  const question = { ruleId: 'rule:draft', accountId: null, script: conditions.script, inputs: given, at }
  const [found] = await runScripts(apart(scripts), [question])
  if (found === undefined || 'message' in found)
    throw new AppError('SCRIPT_ERROR', undefined, found?.message ?? 'conditions: the script gave no answer')
  return { branch: scriptBranch(found.met), dueAt: null }
}
