import { type Executor, violatedUnique } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { AlarmChange, AlarmsFeature } from '../alarms/index.ts'
import { closeActions } from './actions/index.ts'
import { changedFields } from './change.ts'
import { requireStraight } from './save.ts'
import {
  adoptRules,
  deleteRule,
  insertRule,
  lockTemplateRules,
  type RuleFields,
  updateRule,
  vacateTitles,
} from './store/definitions.ts'

/** A rule of a template, for one device. */
export interface TemplatedRule {
  /** its id in the template */
  templateRule: string
  fields: RuleFields
}

/**
 * Makes the template rules of a device match its template, without touching its own rules. What deleted or
 * changed rules have left open is closed. The caller has locked links and checked the rules.
 * @param options.isNew it is being linked: its own rules with the same titles become rules of the template
 * @returns how many differed, and alarms to be announced after the commit
 * @throws AppError DDR_DUPLICATE_NAME, AGGREGATE_LOOP when a rule conflicts with the device's own rules or
 * states
 */
export async function keepTemplateRules(
  tx: Executor,
  alarms: Pick<AlarmsFeature, 'resolve'>,
  device: { id: number; accountId: number },
  wanted: readonly TemplatedRule[],
  at: Date,
  { isNew }: { isNew: boolean },
): Promise<{ changed: number; alarms: AlarmChange[] }> {
  if (isNew) {
    const titled = wanted.map(({ templateRule, fields: { title } }) => ({ templateRule, title }))
    await adoptRules(tx, device.id, titled)
  }
  const held = new Map((await lockTemplateRules(tx, device.id)).map((rule) => [rule.templateRule, rule]))
  const keys = new Set(wanted.map(({ templateRule }) => templateRule))
  const gone = [...held.values()].filter(({ templateRule }) => !keys.has(templateRule))
  const differing = wanted.filter(({ templateRule, fields }) => {
    const rule = held.get(templateRule)
    return rule === undefined || changedFields(rule, fields).changed.length > 0
  })
  const staying = differing.flatMap(({ templateRule, fields }) => {
    const rule = held.get(templateRule)
    return rule === undefined ? [] : [{ ruleId: rule.id, at, stays: fields }]
  })
  const closed = [...gone.map(({ id: ruleId }) => ({ ruleId, at })), ...staying]
  const resolved = await closeActions(tx, { alarms }, closed)
  for (const { id } of gone) await deleteRule(tx, id)
  await writeRules(tx, device, held, differing, at)
  return { changed: gone.length + differing.length, alarms: resolved }
}

async function writeRules(
  tx: Executor,
  device: { id: number; accountId: number },
  held: ReadonlyMap<string, { id: number; title: string; version: number }>,
  rules: readonly TemplatedRule[],
  at: Date,
): Promise<void> {
  const renamed = rules.flatMap(({ templateRule, fields }) => {
    const rule = held.get(templateRule)
    return rule !== undefined && rule.title !== fields.title ? [rule.id] : []
  })
  if (renamed.length > 0) await vacateTitles(tx, renamed)
  try {
    for (const { templateRule, fields } of rules) {
      const rule = held.get(templateRule)
      const twin = { id: device.id, account_id: device.accountId }
      await requireStraight(tx, rule?.id ?? null, fields)
      if (rule === undefined) await insertRule(tx, twin, fields, at, templateRule)
      else await updateRule(tx, rule.id, rule.version, fields, at)
    }
  } catch (error) {
    if (violatedUnique(error) === 'rules_twin_id_title_key') throw new AppError('DDR_DUPLICATE_NAME')
    throw error
  }
}
