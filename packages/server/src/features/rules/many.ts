import { type ManyTwins, manyLimits } from '@leitstand/contract/rules'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { AlarmChange, AlarmsFeature } from '../alarms/index.ts'
import {
  AccountKeeper,
  lockLinks,
  type Reach,
  reachNow,
  reachOf,
  requireWrite,
  toStore,
} from '../twins/index.ts'
import { closeActions, startedRulesOf } from './actions/index.ts'
import { twinsMaxOf } from './fences/limits.ts'
import { refuseIssues } from './issues.ts'
import { ownKeysOf } from './metrics/index.ts'
import { isRelated } from './metrics/related/index.ts'
import { findReached, findRuleFields, type RuleFields } from './store/definitions.ts'
import {
  accountsWithReaches,
  dropMembers,
  dropReach,
  findOwnTargets,
  findReach,
  forgetOtherTwins,
  homeOf,
  lockRule,
  type RelatedInput,
  rulesWithReach,
  saveReach,
  wakingAmong,
  writeInputs,
  writeMembers,
  writeMemberWatches,
  writeSilences,
} from './store/many.ts'
import { silencesByKeyOf, wakingAliasesOf, wakingStatesOf, watchesOf } from './triggers/index.ts'
import { ownTargetsOf, targetsOf } from './uses.ts'

interface Parts {
  alarms: Pick<AlarmsFeature, 'resolve'>
}

/** The metrics that name states by key. */
export function relatedInputsOf({
  metrics,
  triggers,
}: Pick<RuleFields, 'metrics' | 'triggers'>): RelatedInput[] {
  const waking = wakingAliasesOf({ metrics, triggers })
  return metrics
    .filter(isRelated)
    .map(({ alias, of, stateKey }) => ({ alias, of, stateKey, wakes: waking.has(alias) }))
}

/**
 * How far a draft of the caller reaches from a twin.
 * @param setsOwn it sets states of the twins it runs on: only to those that the caller may change
 * @throws AppError DTWIN_NOT_FOUND
 */
export function reachOfDraft(
  db: Executor,
  caller: Caller,
  home: { accountId: number; scopeId: number },
  many: ManyTwins | null,
  setsOwn = false,
): Promise<Reach> {
  return reachOf(db, caller, home, many?.query ?? {}, { writable: setsOwn && many !== null })
}

/**
 * Finds the twins and states of a rule that was stored, as far as the caller sees.
 * @returns alarms to be announced after the commit
 * @throws AppError DTWIN_NOT_FOUND, VALIDATION_ERROR
 */
export async function settleTwins(
  tx: Executor,
  parts: Parts,
  caller: Caller,
  rule: { id: number; fields: RuleFields },
  at: Date,
): Promise<AlarmChange[]> {
  const { id, fields } = rule
  const home = await homeOf(tx, id)
  const setsOwn = ownTargetsOf(fields.actions).length > 0
  if (setsOwn && fields.many === null) requireWrite(caller, home.category, home.scopeId)
  if (!looks(fields)) {
    await dropReach(tx, id)
    if (setsOwn) await refuseLoop(tx, rule)
    return leave(tx, parts, id, at)
  }
  const reach = await reachOfDraft(tx, caller, home, fields.many, setsOwn)
  await saveReach(tx, id, await toStore(tx, home, reach))
  if ((await rulesWithReach(tx, home.accountId)).length > manyLimits.rulesMax) {
    const max = String(manyLimits.rulesMax)
    refuseIssues([
      {
        path: ['many'],
        message: `an account can have ${max} such rules`,
        text: 'manyRules',
        params: { max },
      },
    ])
  }
  const beyond = await find(tx, rule, reach, { at, without: [] })
  if (beyond > 0) {
    const max = twinsMaxOf(fields)
    refuseIssues([
      {
        path: ['many'],
        message: `at most ${max} twins, found ${max + beyond}`,
        text: max < manyLimits.twinsMax ? 'manyFenceTwins' : 'manyTwins',
        params: { max: String(max), found: String(max + beyond) },
      },
    ])
  }
  await refuseLoop(tx, rule)
  return leave(tx, parts, id, at)
}

/** @throws AppError VALIDATION_ERROR when the rule sets a state that wakes it, by itself or through others */
async function refuseLoop(tx: Executor, rule: { id: number; fields: RuleFields }): Promise<void> {
  const reached = await reachedBy(tx, rule)
  const waking = new Set(wakingStatesOf(rule.fields))
  if (reached.some((id) => waking.has(id)) || (await wakingAmong(tx, rule.id, reached)).length > 0)
    refuseIssues([{ path: ['actions'], message: 'the rule would wake itself', text: 'rulesLoop' }])
}

/** Whether a rule looks for twins, or for states by key. */
function looks({ many, metrics }: RuleFields): boolean {
  return many !== null || metrics.some(isRelated)
}

/**
 * Brings the twins and states of a rule up to date. What the rule sets wakes it no longer.
 * @returns alarms to be announced after the commit
 */
export async function refreshTwins(tx: Executor, parts: Parts, id: number, at: Date): Promise<AlarmChange[]> {
  if (!(await lockRule(tx, id))) return []
  const fields = await findRuleFields(tx, id)
  const stored = await findReach(tx, id)
  if (fields === undefined || stored === undefined || !looks(fields)) return []
  const without = await reachedBy(tx, { id, fields })
  await find(tx, { id, fields }, await reachNow(tx, stored), { at, without })
  return leave(tx, parts, id, at)
}

/** The states that a rule sets, by itself or through others. Links are locked. */
async function reachedBy(
  tx: Executor,
  { id, fields: { actions } }: { id: number; fields: RuleFields },
): Promise<number[]> {
  const own = await findOwnTargets(tx, id, ownTargetsOf(actions))
  const begins = { states: [...targetsOf(actions), ...own], rules: startedRulesOf(actions) }
  if (begins.states.length > 0 || begins.rules.length > 0) await lockLinks(tx)
  return findReached(tx, id, begins)
}

/** @param without states that do not wake the rule @returns how many twins there are beyond the largest number */
async function find(
  tx: Executor,
  { id, fields }: { id: number; fields: RuleFields },
  reach: Reach,
  { at, without }: { at: Date; without: readonly number[] },
): Promise<number> {
  const { many, metrics, active } = fields
  let beyond = 0
  if (many === null) await dropMembers(tx, id)
  else
    beyond = await writeMembers(tx, id, { many, reach, keys: ownKeysOf(metrics), most: twinsMaxOf(fields) })
  await writeInputs(tx, id, relatedInputsOf(fields), reach, without)
  if (many !== null) {
    const watches = watchesOf(fields, 0).filter(({ kind }) => kind !== 'rule')
    await writeMemberWatches(tx, id, watches)
  }
  if (active) await writeSilences(tx, id, silencesByKeyOf(fields), at)
  return beyond
}

/** Closes what a rule has left open on twins that it no longer runs on. */
async function leave(tx: Executor, parts: Parts, ruleId: number, at: Date): Promise<AlarmChange[]> {
  const gone = await forgetOtherTwins(tx, ruleId)
  return closeActions(
    tx,
    parts,
    gone.map((twinId) => ({ ruleId, twinId, at })),
  )
}

/** Keeps the twins and states of rules up to date with those there are. */
export function keepTwins(ctx: Context, alarms: Pick<AlarmsFeature, 'resolve' | 'announce'>): AccountKeeper {
  const { db, clock } = ctx
  return new AccountKeeper(ctx, {
    failure: 'twins of rules could not be looked up; tried again soon',
    accounts: (among) => accountsWithReaches(db, among),
    refresh: async (accountId) => {
      for (const ruleId of await rulesWithReach(db, accountId)) {
        const changes = await db
          .transaction()
          .execute((tx) => refreshTwins(tx, { alarms }, ruleId, clock.now()))
        alarms.announce(changes)
      }
    },
  })
}
