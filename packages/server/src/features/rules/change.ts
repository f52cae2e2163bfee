import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../platform/context.ts'
import { type Executor, violatedUnique } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { ruleWoken } from '../../topics/ruleWoken.ts'
import { recordActivity } from '../activity/index.ts'
import type { AlarmChange, AlarmsFeature } from '../alarms/index.ts'
import { homeAccountOf } from '../people/index.ts'
import { readScopes, requireWrite } from '../twins/index.ts'
import { addressesOf, mailAddress, type Recipients } from './actions/email/recipients.ts'
import { closeActions } from './actions/index.ts'
import type { ActionRunner } from './actions/types.ts'
import { exceptDevice, refuseExceptions } from './except.ts'
import { refuseIssues } from './issues.ts'
import { refreshTwins, settleTwins } from './many.ts'
import { checkConditionScript, checkRule, checkScripts, requireStraight } from './save.ts'
import {
  deleteRule,
  findRule,
  findTwin,
  insertRule,
  type RuleFields,
  type RuleRow,
  updateRule,
} from './store/definitions.ts'
import { readPlaces } from './store/others.ts'
import { keepVersion } from './store/versions.ts'

export interface ChangeParts {
  ctx: Context
  alarms: AlarmsFeature
  recipients: Recipients
  runners: readonly ActionRunner[]
  /** called after every committed change of rules */
  changed(ids: readonly number[]): void
}

/**
 * Creates a rule of a twin.
 * @returns its id
 * @throws AppError DTWIN_NOT_FOUND, NO_PERMISSION, DDR_DUPLICATE_NAME and what `checkRule` and `checkScripts` throw
 */
export async function createRule(
  parts: ChangeParts,
  caller: Caller,
  twinId: number,
  fields: RuleFields,
): Promise<number> {
  const { db, scripts } = parts.ctx
  await compile(scripts, fields, await homeAccountOf(db, caller))
  return transact(parts, async (tx, alarms) => {
    const twin = await writableTwin(tx, caller, twinId)
    await checkRule(tx, caller, null, fields)
    const at = parts.ctx.clock.now()
    const id = await insertRule(tx, twin, fields, at)
    alarms.push(...(await settleTwins(tx, parts, caller, { id, fields }, at)))
    await keepVersion(tx, id, caller.name)
    await announceSaved(parts, tx, { caller, accountId: twin.account_id, twinId }, fields)
    await record(
      tx,
      caller,
      'create',
      { id, title: fields.title, accountId: twin.account_id },
      {
        twinId,
        active: fields.active,
      },
    )
    return id
  })
}

export interface RuleOwner {
  id: number
  accountId: number
}

/**
 * Stores a rule that was made of a checked one, and refers to states the caller may use.
 * @returns its id
 * @throws AppError AGGREGATE_LOOP, DDR_DUPLICATE_NAME
 */
export async function addRule(
  { ctx, alarms, runners }: Pick<ChangeParts, 'ctx' | 'alarms' | 'runners'>,
  tx: Executor,
  { caller, twin }: { caller: Caller; twin: RuleOwner },
  fields: RuleFields,
): Promise<number> {
  const { id: twinId, accountId } = twin
  await requireStraight(tx, null, fields)
  try {
    const at = ctx.clock.now()
    const id = await insertRule(tx, { id: twinId, account_id: accountId }, fields, at)
    // A new rule has no alarms yet.
    await settleTwins(tx, { alarms }, caller, { id, fields }, at)
    await keepVersion(tx, id, caller.name)
    await announceSaved({ runners }, tx, { caller, accountId, twinId }, fields)
    await record(
      tx,
      caller,
      'create',
      { id, title: fields.title, accountId },
      { twinId, active: fields.active },
    )
    return id
  } catch (error) {
    if (violatedUnique(error) === 'rules_twin_id_title_key') throw new AppError('DDR_DUPLICATE_NAME')
    throw error
  }
}

/**
 * Changes a rule. Closes what it has open and no longer raises.
 * @param version the version the caller read
 * @throws AppError DDR_NOT_FOUND, NO_PERMISSION, DEVICE_TEMPLATE_FIXED, VERSION_CONFLICT, DDR_DUPLICATE_NAME
 * and what `checkRule` throws
 */
export async function changeRule(
  parts: ChangeParts,
  caller: Caller,
  { id, version }: { id: number; version: number },
  fields: RuleFields,
): Promise<void> {
  const { db, scripts } = parts.ctx
  await compile(scripts, fields, await homeAccountOf(db, caller))
  await transact(parts, async (tx, alarms) => {
    const before = await writableRule(tx, caller, id)
    requireOwn(before)
    if (before.version !== version) throw new AppError('VERSION_CONFLICT', { version: before.version })
    await checkRule(tx, caller, id, fields)
    const at = parts.ctx.clock.now()
    await changeKept(tx, { id, version }, fields, { at, by: caller.name })
    alarms.push(...(await settleTwins(tx, parts, caller, { id, fields }, at)))
    const { accountId, twinId } = before
    await announceSaved(parts, tx, { caller, accountId, twinId }, fields)
    alarms.push(...(await closeActions(tx, parts, [{ ruleId: id, at, stays: fields }])))
    const rule = { id, title: fields.title, accountId: before.accountId }
    await record(tx, caller, 'update', rule, changedFields(before, fields))
    return id
  })
}

/**
 * Leaves a twin out of a rule for many, or takes it in again. How far the rule sees stays as its last editor could. Who may change
 * a device may leave it out of the rules of its template.
 * @throws AppError DDR_NOT_FOUND, DTWIN_NOT_FOUND, NO_PERMISSION, DEVICE_TEMPLATE_FIXED, VALIDATION_ERROR
 */
export async function exceptTwin(
  parts: ChangeParts,
  caller: Caller,
  { id, twinId }: { id: number; twinId: number },
  isExcept: boolean,
): Promise<void> {
  await transact(parts, async (tx, alarms) => {
    const found = await visibleRule(tx, caller, id)
    if (found.template !== null) {
      await writableTwin(tx, caller, twinId)
      alarms.push(...(await exceptDevice(tx, parts, found, twinId, isExcept, parts.ctx.clock.now())))
      await record(tx, caller, 'update', found, { twinId, except: isExcept })
      return id
    }
    const before = await writableRule(tx, caller, id)
    if ((await findTwin(tx, twinId, readScopes(caller, 'digitalTwin'))) === undefined)
      throw new AppError('DTWIN_NOT_FOUND', { id: twinId })
    const { many } = before
    if (many === null)
      refuseIssues([{ path: ['dtwinId'], message: 'the rule runs on its own twin only', text: 'manyNot' }])
    else if (many.except.includes(twinId) !== isExcept) {
      const others = many.except.filter((each) => each !== twinId)
      const except = isExcept ? [...others, twinId] : others
      refuseExceptions(except.length)
      const at = parts.ctx.clock.now()
      await changeKept(tx, before, { ...before, many: { ...many, except } }, { at, by: caller.name })
      alarms.push(...(await refreshTwins(tx, parts, id, at)))
      await record(tx, caller, 'update', before, { twinId, except: isExcept })
    }
    return id
  })
}

/**
 * Deletes a rule and closes what it has open.
 * @throws AppError DDR_NOT_FOUND, NO_PERMISSION, DEVICE_TEMPLATE_FIXED
 */
export async function removeRule(parts: ChangeParts, caller: Caller, id: number): Promise<void> {
  await transact(parts, async (tx, alarms) => {
    const rule = await writableRule(tx, caller, id)
    requireOwn(rule)
    const at = parts.ctx.clock.now()
    alarms.push(...(await closeActions(tx, parts, [{ ruleId: id, at }])))
    await deleteRule(tx, id)
    await record(tx, caller, 'delete', rule)
    return id
  })
}

/**
 * Wakes a rule by hand, as its triggers do: on one twin, or on all. A rule of a template is run on a device that the caller may
 * change.
 * @throws AppError DDR_NOT_FOUND, DTWIN_NOT_FOUND, NO_PERMISSION, DDR_NOT_RUNNABLE
 */
export async function runRule(
  { ctx }: Pick<ChangeParts, 'ctx'>,
  caller: Caller,
  { id, twinId }: { id: number; twinId: number | undefined },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const rule = await visibleRule(tx, caller, id)
    if (rule.template === null) requireWrite(caller, 'digitalTwin', rule.scopeId)
    const { active, pausedUntil, triggers, accountId } = rule
    const isPaused = pausedUntil !== null && pausedUntil > ctx.clock.now()
    if (!active || isPaused || !triggers.some(({ kind }) => kind === 'manual'))
      throw new AppError('DDR_NOT_RUNNABLE', { id })
    if (twinId !== undefined) await writableTwin(tx, caller, twinId)
    const places = twinId === undefined ? null : await readPlaces(tx, [{ ruleId: id, twinId }])
    if (places === null ? rule.template !== null : places.size === 0)
      throw new AppError('DDR_NOT_RUNNABLE', { id })
    const cause = { kind: 'manual', name: caller.name } as const
    const place = twinId === undefined ? { ruleId: id } : { ruleId: id, twinId }
    await ctx.events.append(tx, ruleWoken.event(accountId, { ...place, cause, depth: 0 }))
    await record(tx, caller, 'update', rule, { run: true, ...(twinId === undefined ? {} : { twinId }) })
  })
}

/**
 * Asks a recipient of a rule again whether mails may be sent.
 * @throws AppError DDR_NOT_FOUND, NO_PERMISSION, DDR_RECIPIENT_NOT_FOUND, DDR_RECIPIENT_ANSWERED,
 * TOO_MANY_REQUESTS
 */
export async function askRecipient(
  { ctx, recipients }: Pick<ChangeParts, 'ctx' | 'recipients'>,
  caller: Caller,
  id: number,
  address: string,
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const rule = await writableRule(tx, caller, id)
    const wanted = mailAddress(address)
    if (!addressesOf(rule.actions).includes(wanted))
      throw new AppError('DDR_RECIPIENT_NOT_FOUND', { address })
    await recipients.askAgain(tx, rule.accountId, wanted)
    await record(tx, caller, 'update', rule, { recipient: wanted, state: 'asked' })
  })
}

/** Changes a rule and keeps what it was before and is now. */
export async function changeKept(
  tx: Executor,
  { id, version }: { id: number; version: number },
  fields: RuleFields,
  { at, by }: { at: Date; by: string },
): Promise<void> {
  // Rules that are older than this table have no version yet.
  await keepVersion(tx, id, null)
  await updateRule(tx, id, version, fields, at)
  await keepVersion(tx, id, by)
}

/** Compiles every script of a rule. */
async function compile(scripts: Context['scripts'], fields: RuleFields, account: number): Promise<void> {
  await checkScripts(scripts, fields.metrics, account, fields.actions)
  await checkConditionScript(scripts, fields, account)
}

/** Notifies the kinds of actions that a rule was stored. */
async function announceSaved(
  { runners }: Pick<ChangeParts, 'runners'>,
  tx: Executor,
  by: { caller: Caller; accountId: number; twinId: number },
  { actions }: RuleFields,
): Promise<void> {
  for (const runner of runners) await runner.saved?.(tx, by, actions)
}

/**
 * Runs a change, then updates the cache and the live feed.
 * @param work returns the id of the rule
 */
async function transact(
  parts: ChangeParts,
  work: (tx: Executor, alarms: AlarmChange[]) => Promise<number>,
): Promise<number> {
  const alarms: AlarmChange[] = []
  try {
    const id = await parts.ctx.db.transaction().execute((tx) => work(tx, alarms))
    parts.changed([id])
    parts.alarms.announce(alarms)
    return id
  } catch (error) {
    if (violatedUnique(error) === 'rules_twin_id_title_key') throw new AppError('DDR_DUPLICATE_NAME')
    throw error
  }
}

function record(
  tx: Executor,
  caller: Caller,
  action: 'create' | 'update' | 'delete',
  rule: { id: number; title: string; accountId: number },
  changes?: unknown,
): Promise<void> {
  return recordActivity(tx, caller, {
    action,
    subject: 'Rule',
    objectId: rule.id,
    objectTitle: rule.title,
    accountId: rule.accountId,
    ...(changes === undefined ? {} : { changes }),
  })
}

/** @throws AppError DTWIN_NOT_FOUND when the caller may not see it, NO_PERMISSION when it may not change it */
export async function writableTwin(tx: Executor, caller: Caller, id: number) {
  const twin = await findTwin(tx, id, readScopes(caller, 'digitalTwin'))
  if (twin === undefined) throw new AppError('DTWIN_NOT_FOUND', { id })
  requireWrite(caller, 'digitalTwin', twin.scope_id)
  return twin
}

/** A rule, locked. @throws AppError DDR_NOT_FOUND when the caller may not see it */
async function visibleRule(tx: Executor, caller: Caller, id: number): Promise<RuleRow> {
  const rule = await findRule(tx, id, readScopes(caller, 'digitalTwin'), { lock: true })
  if (rule === undefined) throw new AppError('DDR_NOT_FOUND', { id })
  return rule
}

/** @throws AppError DDR_NOT_FOUND, NO_PERMISSION */
async function writableRule(tx: Executor, caller: Caller, id: number): Promise<RuleRow> {
  const rule = await visibleRule(tx, caller, id)
  requireWrite(caller, 'digitalTwin', rule.scopeId)
  return rule
}

/** Rules of a template can only be changed in the template. @throws AppError DEVICE_TEMPLATE_FIXED */
function requireOwn(rule: RuleRow): asserts rule is RuleRow & { twinId: number } {
  if (rule.template !== null) throw new AppError('DEVICE_TEMPLATE_FIXED', { field: 'rule' })
}

/** The fields of a rule. */
const fieldNames = [
  'title',
  'active',
  'pausedUntil',
  'many',
  'triggers',
  'throttleHours',
  'metrics',
  'conditions',
  'executionTimes',
  'actions',
] as const

/** Names of the fields that differ. */
export function changedNames(
  before: Readonly<Partial<Record<(typeof fieldNames)[number], unknown>>>,
  after: typeof before,
): string[] {
  return fieldNames.filter((name) => !isDeepStrictEqual(before[name] ?? null, after[name] ?? null))
}

/** Names of the fields that changed, for the activity log. */
export function changedFields(before: RuleFields, after: RuleFields): { changed: string[]; active: boolean } {
  return { changed: changedNames(before, after), active: after.active }
}
