import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import type { AlarmChange, AlarmsFeature } from '../alarms/index.ts'
import { closeActions } from './actions/index.ts'
import type { ActionRunner } from './actions/types.ts'
import { addRule, changedFields, changeKept, type RuleOwner } from './change.ts'
import { settleTwins } from './many.ts'
import { checkRule } from './save.ts'
import { deleteRule, listRulesOf, type RuleFields } from './store/definitions.ts'

export interface WantedRules {
  /** compared by title */
  rules: readonly RuleFields[]
  /** titles of rules that are deleted */
  removed: readonly string[]
}

export interface KeptRules {
  added: string[]
  changed: string[]
  removed: string[]
  /** to be announced after the commit */
  alarms: AlarmChange[]
}

interface Parts {
  ctx: Context
  alarms: AlarmsFeature
  runners: readonly ActionRunner[]
}

/**
 * Makes rules of a twin match the wanted ones. What deleted or changed rules have left open is closed. The caller has
 * locked links.
 * @throws AppError what `checkRule` throws
 */
export async function keepRules(
  parts: Parts,
  tx: Executor,
  by: { caller: Caller; twin: RuleOwner },
  { rules, removed }: WantedRules,
): Promise<KeptRules> {
  const at = parts.ctx.clock.now()
  const held = new Map((await listRulesOf(tx, by.twin.id)).map((rule) => [rule.title, rule]))
  const kept: KeptRules = { added: [], changed: [], removed: [], alarms: [] }
  for (const title of removed) {
    const rule = held.get(title)
    if (rule === undefined) continue
    kept.alarms.push(...(await closeActions(tx, parts, [{ ruleId: rule.id, at }])))
    await deleteRule(tx, rule.id)
    await note(tx, by, 'delete', rule)
    kept.removed.push(title)
  }
  for (const fields of rules) {
    const rule = held.get(fields.title)
    if (rule !== undefined && changedFields(rule, fields).changed.length === 0) continue
    await checkRule(tx, by.caller, rule?.id ?? null, fields)
    if (rule === undefined) {
      await addRule(parts, tx, by, fields)
      kept.added.push(fields.title)
      continue
    }
    const { caller, twin } = by
    await changeKept(tx, rule, fields, { at, by: caller.name })
    kept.alarms.push(...(await settleTwins(tx, parts, caller, { id: rule.id, fields }, at)))
    for (const runner of parts.runners)
      await runner.saved?.(tx, { caller, accountId: twin.accountId, twinId: twin.id }, fields.actions)
    kept.alarms.push(...(await closeActions(tx, parts, [{ ruleId: rule.id, at, stays: fields }])))
    await note(tx, by, 'update', rule)
    kept.changed.push(fields.title)
  }
  return kept
}

function note(
  tx: Executor,
  { caller, twin }: { caller: Caller; twin: RuleOwner },
  action: 'update' | 'delete',
  { id, title }: { id: number; title: string },
): Promise<void> {
  const { accountId } = twin
  return recordActivity(tx, caller, {
    action,
    subject: 'Rule',
    objectId: id,
    objectTitle: title,
    accountId,
  })
}
