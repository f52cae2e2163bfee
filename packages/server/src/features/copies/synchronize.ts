import { copyLimits, SyncParts, type SyncSelection, type SyncTarget } from '@leitstand/contract/copies'
import type { BackgroundJob } from '@leitstand/contract/jobs'
import type { SourceDefinition, State } from '@leitstand/contract/states'
import * as z from 'zod'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import type { AlarmChange, AlarmsFeature } from '../alarms/index.ts'
import { processPage, retryParams } from '../batches/index.ts'
import { advanceRows, type JobKind, type JobsFeature, mayWriteTwins } from '../jobs/index.ts'
import { beginErrand, Errand, type PeopleFeature } from '../people/index.ts'
import { listRulesOf, type RuleFields, type RulesFeature, withOtherStates } from '../rules/index.ts'
import {
  addStates,
  bothScopes,
  checkState,
  deleteStates,
  findObject,
  findUnusedStates,
  fixStates,
  listeningSources,
  listStates,
  listTwinIds,
  lockLinks,
  type ObjectRow,
  objectForChange,
  readScopes,
  replaceLinks,
  requireWrite,
  type ScopesByCategory,
  stateScopes,
  statesMax,
  touchObjects,
  updateObject,
  type WantedState,
  withSourceStates,
  wouldLoop,
  writeScopes,
} from '../twins/index.ts'
import type { CopyTools } from './copy.ts'
import { fateOf } from './fate.ts'
import {
  isInSync,
  planSync,
  type SyncPlan,
  type Target,
  type Template,
  type TemplateState,
  wantedFields,
  wantedState,
} from './plan.ts'
import { listComputed, listHiddenRules, listTargets, pairsOf } from './store.ts'

export interface SyncTools extends CopyTools {
  jobs: JobsFeature
  alarms: Pick<AlarmsFeature, 'announce'>
  rules: Pick<RulesFeature, 'add' | 'changed' | 'keep'>
}

/** What is synchronised with which twins. */
export interface Synchronisation {
  id: number
  selection: SyncSelection
  parts: SyncParts
}

/** Reads the twin that others are made like. @throws AppError DTWIN_NOT_FOUND */
async function loadTemplate(db: Executor, caller: Caller, id: number): Promise<Template & { title: string }> {
  const twin = await findObject(db, 'digitalTwin', readScopes(caller, 'digitalTwin'), id)
  if (!twin) throw new AppError('DTWIN_NOT_FOUND', { id })
  const read = stateScopes(caller)
  const itself = pairsOf([{ from: id, to: id }])
  const computed = await listComputed(db, read, { from: id, to: id }, itself)
  const linked = new Set(
    computed.filter((each) => fateOf(each, { bindings: false }) === 'linked').map((each) => each.id),
  )
  const dependent = new Set(computed.map((each) => each.id))
  const states = (await listStates(db, bothScopes(caller, 'read'), id)).map((state): TemplateState => {
    const isPassedOn = dependent.has(state.id)
      ? linked.has(state.id)
      : state.source !== 'none' && !dependsOnPlace(state) && !listeningSources.includes(state.source)
    return { state, source: isPassedOn ? state : null }
  })
  const hidden = new Set(
    await listHiddenRules(db, { read, write: bothScopes(caller, 'write') }, [id], itself),
  )
  const rules = await listRulesOf(db, id)
  return {
    twin,
    title: twin.title,
    states,
    rules: rules.filter((rule) => !hidden.has(rule.id)),
    hiddenTitles: rules.filter((rule) => hidden.has(rule.id)).map(({ title }) => title),
  }
}

/** Figures and queries find other things below other twins, and need rights there: targets keep their own. */
function dependsOnPlace(state: State): boolean {
  return (
    state.source === 'system' || (state.source === 'aggregate' && state.sourceSettings.query !== undefined)
  )
}

async function loadTarget(db: Executor, twin: ObjectRow): Promise<Target> {
  return { twin, states: await listStates(db, scopeOf(twin), twin.id), rules: await listRulesOf(db, twin.id) }
}

const scopeOf = ({ scopeId }: ObjectRow): ScopesByCategory => ({
  digitalTwin: [scopeId],
  virtualDevice: [],
})

/** No state has this id: stands for a state the target does not have yet. */
const missing = -1

/** Sources and rules of the template with the states of a target, which have the same keys. */
function linksTo(template: Template, target: Pick<Target, 'states'> & { id: number }) {
  const held = new Map(target.states.map(({ key, id }) => [key, id]))
  const ids = new Map(template.states.map(({ state }) => [state.id, held.get(state.key) ?? missing]))
  const idOf = (id: number) => ids.get(id) ?? id
  return {
    source: ({ source }: TemplateState): SourceDefinition | null => source && withSourceStates(source, idOf),
    rule: (rule: RuleFields): RuleFields =>
      withOtherStates(rule, idOf, (id) => (id === template.twin.id ? target.id : id)),
  }
}

/** The twins of a selection, by id; without the template. @throws AppError BACKGROUND_JOB_TOO_LARGE, DTWIN_NOT_FOUND */
async function resolve(db: Executor, caller: Caller, { id, selection }: Synchronisation) {
  const scopeIds = readScopes(caller, 'digitalTwin')
  const { targetsMax } = copyLimits
  if ('filter' in selection) {
    const page = { offset: 0, limit: targetsMax + 2, orderBy: 'id' }
    const { ids, total } = await listTwinIds(db, scopeIds, selection.filter, page)
    if (total > targetsMax + 1) throw new AppError('BACKGROUND_JOB_TOO_LARGE', { twinsMax: targetsMax })
    return listTargets(
      db,
      scopeIds,
      ids.filter((each) => each !== id),
    )
  }
  const ids = [...new Set(selection.ids)].filter((each) => each !== id)
  const targets = await listTargets(db, scopeIds, ids)
  if (targets.length < ids.length) throw new AppError('DTWIN_NOT_FOUND')
  return targets
}

const refusedOf = (caller: Caller, targets: readonly { id: number; title: string; scopeId: number }[]) => {
  const writable = new Set(writeScopes(caller, 'digitalTwin'))
  return targets
    .filter(({ scopeId }) => !writable.has(scopeId))
    .slice(0, copyLimits.refusedMax)
    .map(({ id, title }) => ({ id, title }))
}

/** What synchronising would change, for a page of the twins. @throws AppError as `resolve`, DTWIN_NOT_FOUND */
export async function previewSync(
  db: Executor,
  caller: Caller,
  wanted: Synchronisation,
  { offset, limit }: { offset: number; limit: number },
) {
  const template = await loadTemplate(db, caller, wanted.id)
  const targets = await resolve(db, caller, wanted)
  const items: SyncTarget[] = []
  for (const { id, title } of targets.slice(offset, offset + limit)) {
    const twin = await findObject(db, 'digitalTwin', readScopes(caller, 'digitalTwin'), id)
    if (!twin) continue
    const target = await loadTarget(db, twin)
    items.push({
      id,
      title,
      ...planSync(template, target, wanted.parts, linksTo(template, { ...target, id: target.twin.id })),
    })
  }
  return {
    items,
    total: targets.length,
    offset,
    limit,
    targetsMax: copyLimits.targetsMax,
    refused: refusedOf(caller, targets),
    hiddenRules: wanted.parts.rules ? template.hiddenTitles.length : 0,
  }
}

/**
 * Starts the job that makes twins like another one.
 * @throws AppError as `previewSync`, NO_PERMISSION with the twins the caller may not change
 */
export async function startSync(
  { ctx: { db }, jobs }: SyncTools,
  caller: Caller,
  wanted: Synchronisation,
): Promise<BackgroundJob> {
  const { title } = await loadTemplate(db, caller, wanted.id)
  const targets = await resolve(db, caller, wanted)
  const [first] = targets
  if (first === undefined) throw new AppError('DTWIN_NOT_FOUND')
  const items = refusedOf(caller, targets)
  if (items.length > 0)
    throw new AppError('NO_PERMISSION', { subject: 'DigitalTwin', action: 'write', items })
  requireWrite(caller, 'digitalTwin', first.scopeId)
  return jobs.create(
    caller,
    {
      type: 'digitaltwin-synchronize',
      title,
      total: targets.length,
      accountId: first.accountId,
      scopeId: first.scopeId,
      resourceType: 'digitalTwin',
      resourceId: wanted.id,
      params: { errand: beginErrand(caller), templateId: wanted.id, parts: wanted.parts },
      demands: {
        permissions: mayWriteTwins,
        scopeIds: targets.map(({ scopeId }) => scopeId),
        everywhere: true,
      },
    },
    { twins: targets.length },
    targets.map((target, at) => ({
      row: at + 1,
      objectId: target.id,
      title: target.title,
      cells: null,
      faults: [],
    })),
  )
}

const SyncJob = z.object({ errand: Errand, templateId: z.int(), parts: SyncParts })

/** Synchronises twins, each in its own transaction. */
export function syncKind({
  callerOf,
  ...tools
}: Omit<SyncTools, 'jobs'> & { callerOf: PeopleFeature['callerOf'] }): JobKind<z.infer<typeof SyncJob>> {
  const { ctx, rules, alarms, series } = tools
  return {
    type: 'digitaltwin-synchronize',
    params: SyncJob,
    renew: retryParams,
    page: async (job, { errand, templateId, parts }) => {
      const { rows, changed } = await processPage(
        ctx,
        job,
        () => callerOf(errand),
        async (tx, caller, id) => {
          await lockLinks(tx)
          return syncTwin(tools, tx, caller, {
            id,
            template: await loadTemplate(tx, caller, templateId),
            parts,
          })
        },
      )
      if (rows.length === 0) return false
      rules.changed()
      alarms.announce(changed.flatMap((each) => each.alarms))
      const computed = changed.flatMap((each) => each.computed)
      if (computed.length > 0) await series.recompute(computed)
      await advanceRows(ctx.db, job)
      return true
    },
  }
}

interface Synced {
  alarms: AlarmChange[]
  /** states to be computed after the commit */
  computed: number[]
}

/**
 * Makes a twin like the template. The caller has locked links.
 * @returns undefined when nothing differs
 * @throws AppError DTWIN_NOT_FOUND, NO_PERMISSION, AGGREGATE_LOOP, DTWIN_SYNC_FAILED when the twin does not fit
 */
async function syncTwin(
  tools: Omit<SyncTools, 'jobs'>,
  tx: Executor,
  caller: Caller,
  { id, template, parts }: { id: number; template: Template & { title: string }; parts: SyncParts },
): Promise<Synced | undefined> {
  const now = tools.ctx.clock.now()
  const twin = await objectForChange(tx, caller, 'digitalTwin', id)
  const target = await loadTarget(tx, twin)
  const plan = planSync(template, target, parts, linksTo(template, { ...target, id: target.twin.id }))
  if (isInSync(plan)) return undefined
  const input = { ...twin, ...wantedFields(template, parts) }
  if (input.type === 'zone' && input.geoPolygon === null) throw unfit('A zone needs a geo polygon')
  if (plan.fields.length > 0) await updateObject(tx, twin, twin.parentId, input, now)
  else await touchObjects(tx, [id], now)
  try {
    const computed = await applyStates(tx, twin, { template, target, plan }, now)
    const links = linksTo(template, { id, states: await listStates(tx, scopeOf(twin), id) })
    const differing = new Set([...plan.rules.added, ...plan.rules.changed])
    const wanted = template.rules.filter(({ title }) => differing.has(title)).map(links.rule)
    const kept = await tools.rules.keep(tx, caller, twin, { rules: wanted, removed: plan.rules.removed })
    const removed = await removeStates(tx, target, plan)
    await recordActivity(tx, caller, {
      action: 'twin-sync',
      subject: 'DigitalTwin',
      objectId: id,
      objectTitle: twin.title,
      accountId: twin.accountId,
      changes: {
        like: template.title,
        likeId: template.twin.id,
        states: plan.states.added.length + plan.states.changed.length,
        deletedStates: removed,
        rules: plan.rules.added.length + plan.rules.changed.length + plan.rules.removed.length,
        fields: plan.fields,
      },
    })
    return { alarms: kept.alarms, computed }
  } catch (error) {
    if (error instanceof AppError && error.code === 'VALIDATION_ERROR') throw unfit(error.message)
    throw error
  }
}

const unfit = (detail: string) => new AppError('DTWIN_SYNC_FAILED', { detail }, detail)

/** Adds and changes states. @returns those that are computed */
async function applyStates(
  tx: Executor,
  twin: ObjectRow,
  { template, target, plan }: { template: Template; target: Target; plan: SyncPlan },
  now: Date,
): Promise<number[]> {
  const added = new Set(plan.states.added)
  const differing = new Set([...plan.states.added, ...plan.states.changed])
  if (target.states.length + added.size > statesMax)
    throw unfit(`A twin can have at most ${statesMax} states`)
  const bare = template.states.flatMap(({ state: { key, title, valueType } }) =>
    added.has(key) ? [{ key, title, source: 'none' as const, value_type: valueType }] : [],
  )
  await addStates(tx, [{ twinIds: [twin.id], states: bare }], { now })
  const states = await listStates(tx, scopeOf(twin), twin.id)
  const held = new Map(states.map((state) => [state.key, state]))
  const links = linksTo(template, { id: twin.id, states })
  const wanted = template.states.flatMap((each): WantedState[] => {
    const own = held.get(each.state.key)
    if (own === undefined || !differing.has(own.key)) return []
    const input = wantedState(each.state, links.source(each), own)
    return [{ id: own.id, input, source: checkState('digitalTwin', own.key, input) }]
  })
  await fixStates(tx, wanted, now, { fixed: false })
  await replaceLinks(
    tx,
    wanted.map(({ id, source: { sourceIds } }) => ({ id, sourceIds })),
  )
  const computed = wanted.filter(({ source }) => source.sourceIds.length > 0)
  for (const { id, source } of computed)
    if (await wouldLoop(tx, id, source.sourceIds)) throw new AppError('AGGREGATE_LOOP')
  return computed.map(({ id }) => id)
}

/** Deletes states the template does not have, unless something uses them. @returns their keys */
async function removeStates(tx: Executor, { states }: Target, plan: SyncPlan): Promise<string[]> {
  const leaving = new Set(plan.states.removed)
  const ids = states.filter(({ key }) => leaving.has(key)).map(({ id }) => id)
  const unused = await findUnusedStates(tx, ids)
  await deleteStates(tx, unused)
  const gone = new Set(unused)
  return states.filter(({ id }) => gone.has(id)).map(({ key }) => key)
}
