import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { AlarmChange, AlarmsFeature } from '../alarms/index.ts'
import { closeActions } from './actions/index.ts'
import { changedNames } from './change.ts'
import { placeOf } from './places.ts'
import { withOwnStates } from './remap.ts'
import { requireStraight } from './save.ts'
import {
  deleteRule,
  holdTemplateRules,
  insertRule,
  listOwnRules,
  type RuleFields,
  type TemplateRuleRow,
} from './store/definitions.ts'
import {
  addDays,
  addPlaces,
  dropPlaces,
  forgetPlaces,
  givePlace,
  type HeldRule,
  listHeld,
  writeExceptions,
} from './store/templated.ts'

/** A rule of a template. */
export interface TemplatedRule {
  /** its id in the template */
  templateRule: string
  /** states are named by key */
  fields: RuleFields
}

interface Device {
  id: number
  accountId: number
}

/** A rule that a device is to run, and the one that it has run instead until now. */
interface Change {
  ruleId: number
  fields: RuleFields
  isExcept: boolean
  before: Pick<HeldRule, 'ruleId' | 'title'> | undefined
}

/**
 * Makes a device run the rules of its template, without touching its own. What a rule remembers of the device stays where it
 * changes; what deleted or changed rules have left open is closed. The caller has locked links and checked the rules.
 * @param options.isNew it is being linked: its own rules with the same titles become those of the template
 * @param options.stateIds of the device by key
 * @returns how many differed, and alarms to be announced after the commit
 * @throws AppError DDR_DUPLICATE_NAME, AGGREGATE_LOOP when a rule conflicts with the device's own rules or states
 */
export async function keepTemplateRules(
  tx: Executor,
  alarms: Pick<AlarmsFeature, 'resolve'>,
  device: Device,
  template: { id: number; rules: readonly TemplatedRule[] },
  at: Date,
  options: { isNew: boolean; stateIds: ReadonlyMap<string, number> },
): Promise<{ changed: number; alarms: AlarmChange[] }> {
  const stored = await holdTemplateRules(tx, template.id)
  const held = new Map((await listHeld(tx, device.id)).map((rule) => [rule.templateRule, rule]))
  const own = await listOwnRules(tx, device.id)
  const changes: Change[] = []
  for (const { templateRule, fields } of template.rules) {
    const before = held.get(templateRule)
    held.delete(templateRule)
    const same = stored.find((rule) => rule.templateRule === templateRule && isSame(rule, fields))
    if (before !== undefined && before.ruleId === same?.id) continue
    const ownId = own.get(fields.title)
    if (ownId !== undefined && !options.isNew && before?.title !== fields.title)
      throw new AppError('DDR_DUPLICATE_NAME')
    const home = { templateId: template.id, templateRule, account_id: device.accountId }
    const ruleId = same?.id ?? (await insertRule(tx, home, fields, at))
    const adopted = ownId !== undefined && options.isNew ? { ruleId: ownId, title: fields.title } : undefined
    changes.push({ ruleId, fields, before: before ?? adopted, isExcept: before?.isExcept ?? false })
  }
  const gone = [...held.values()]
  const twinId = device.id
  const closed = await closeActions(tx, { alarms }, [
    ...gone.map(({ ruleId }) => ({ ruleId, twinId, at })),
    ...changes.flatMap(({ before, fields }) =>
      before === undefined ? [] : [{ ruleId: before.ruleId, twinId, at, stays: fields }],
    ),
  ])
  for (const { before, ruleId } of changes)
    if (before !== undefined) await givePlace(tx, { ruleId: before.ruleId, twinId }, ruleId)
  const adopted = changes.flatMap(({ before, ruleId }) =>
    before !== undefined && own.get(before.title) === before.ruleId
      ? [{ from: before.ruleId, to: ruleId }]
      : [],
  )
  closed.push(...(await dropAdopted(tx, alarms, adopted, at)))
  const left = [...gone, ...changes.flatMap(({ before }) => before ?? [])]
  await dropPlaces(
    tx,
    twinId,
    left.map(({ ruleId }) => ruleId),
  )
  for (const { fields } of changes)
    await requireStraight(
      tx,
      null,
      withOwnStates(fields, (key) => options.stateIds.get(key) ?? 0),
    )
  await addPlaces(
    tx,
    twinId,
    changes.filter(({ isExcept }) => !isExcept).map((change) => placeOf(change, twinId)),
    at,
  )
  await writeExceptions(
    tx,
    twinId,
    changes.filter(({ isExcept }) => isExcept).map(({ ruleId }) => ruleId),
  )
  await forgetPlaces(
    tx,
    twinId,
    changes.filter(({ fields }) => !fields.active || fields.pausedUntil !== null).map(({ ruleId }) => ruleId),
  )
  return { changed: gone.length + changes.length, alarms: closed }
}

function isSame(one: TemplateRuleRow, other: RuleFields): boolean {
  return changedNames({ ...one, many: null }, { ...other, many: null }).length === 0
}

/** Deletes own rules that have become rules of a template, with what they have left open elsewhere. */
async function dropAdopted(
  tx: Executor,
  alarms: Pick<AlarmsFeature, 'resolve'>,
  adopted: readonly { from: number; to: number }[],
  at: Date,
): Promise<AlarmChange[]> {
  const changes = await closeActions(
    tx,
    { alarms },
    adopted.map(({ from: ruleId }) => ({ ruleId, at })),
  )
  for (const { from, to } of adopted) {
    await addDays(tx, from, to)
    await deleteRule(tx, from)
  }
  return changes
}

/**
 * Gives a device that leaves its template the template's rules as its own, with what they remember of it. A rule that left it
 * out becomes an inactive one.
 * @param stateIds of the device by key
 */
export async function freeTemplateRules(
  tx: Executor,
  device: Device,
  templateId: number,
  stateIds: ReadonlyMap<string, number>,
  at: Date,
): Promise<void> {
  const held = await listHeld(tx, device.id)
  const stored = new Map((await holdTemplateRules(tx, templateId)).map((rule) => [rule.id, rule]))
  const titles = new Set((await listOwnRules(tx, device.id)).keys())
  for (const { ruleId, isExcept } of held) {
    const rule = stored.get(ruleId)
    if (rule === undefined) continue
    const { id: _, templateRule: __, ...fields } = rule
    const title = freeTitle(rule.title, titles)
    titles.add(title)
    const own = withOwnStates({ ...fields, title, many: null }, (key) => stateIds.get(key) ?? 0)
    const active = own.active && !isExcept
    const home = { id: device.id, account_id: device.accountId }
    const id = await insertRule(tx, home, { ...own, active }, at)
    await givePlace(tx, { ruleId, twinId: device.id }, id)
  }
  await dropPlaces(
    tx,
    device.id,
    held.map(({ ruleId }) => ruleId),
  )
}

function freeTitle(title: string, taken: ReadonlySet<string>): string {
  for (let number = 2, free = title; ; number++) {
    if (!taken.has(free)) return free
    free = `${title} (${number})`
  }
}
