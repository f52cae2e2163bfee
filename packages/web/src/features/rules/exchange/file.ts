import type { Rule } from '@leitstand/contract/rules'
import { RuleFields } from '@leitstand/contract/rules'
import * as z from 'zod'
import { type RuleDraft, toDraft } from '../draft.ts'

/** Maximum bytes of a file with a rule. */
export const fileBytesMax = 512 * 1024

/** A state in a file: by its key, and the title of its twin if that is not the one of the rule. */
export interface StateRef {
  key: string
  twin?: string | undefined
}

/** A rule as a file: its states are named by key, so that it fits other twins. */
export interface RuleFile {
  format: 'leitstand.rule'
  version: 1
  /** address of the installation it comes from: ids of anything but states are known only there */
  origin: string
  rule: unknown
}

const RuleFileSchema = z.object({
  format: z.literal('leitstand.rule'),
  version: z.literal(1),
  origin: z.string().max(500),
  rule: z.record(z.string(), z.unknown()),
})

const StateRefSchema = z.object({ key: z.string().min(1).max(200), twin: z.string().max(200).optional() })
const FileFields = z.object(RuleFields)

/** Actions and triggers of these kinds name rules, devices, connectors or users by id. */
const actionsByReach: ReadonlySet<string> = new Set([
  'push',
  'webhook',
  'connector-command',
  'downlink',
  'resolve-alarm',
  'start-rule',
])
const triggersByReach: ReadonlySet<string> = new Set(['rule', 'geofence'])

/** Stands for a state that was not found, until a person chooses one. */
const unknownState = 2_147_483_647

/** Deeper nesting than any rule has. */
const depthMax = 60

/** Ids of the states a rule reads and sets. */
export function statesOf({ metrics, actions }: Pick<Rule, 'metrics' | 'actions'>): number[] {
  const found = new Set<number>()
  walk({ metrics, actions }, (value) => {
    if (typeof value.stateId === 'number') found.add(value.stateId)
    return null
  })
  return [...found]
}

/**
 * Pure. A rule as a file.
 * @param refOf names the states of `statesOf`
 */
export function toFile(rule: Rule, origin: string, refOf: (stateId: number) => StateRef): RuleFile {
  const { title, active, pausedUntil, many, triggers, conditions, executionTimes, throttleHours, actions } =
    rule
  const metrics = rule.metrics.map((metric) => {
    if (!('stateId' in metric)) return metric
    const { stateTitle: _title, stateKey: _key, unit: _unit, twinTitle: _twin, ...own } = metric
    return own
  })
  const fields = {
    title,
    active,
    pausedUntil,
    many,
    triggers,
    metrics,
    conditions,
    executionTimes,
    throttleHours,
    actions,
  }
  const named = walk(fields, (value) => {
    if (typeof value.stateId !== 'number') return null
    const { stateId, ...rest } = value
    return { ...rest, state: refOf(stateId) }
  })
  return { format: 'leitstand.rule', version: 1, origin, rule: named }
}

/** What cannot be read as a rule. `key` is below `rules.file`. */
export class RuleFileError extends Error {
  readonly key: 'noJson' | 'noRule' | 'tooLarge'
  constructor(key: RuleFileError['key'], detail = '') {
    super(detail)
    this.key = key
  }
}

export interface ReadFile {
  draft: RuleDraft
  /** states that were not found */
  missing: StateRef[]
  /** actions and triggers that name things of another installation and were left out */
  leftOut: number
}

/**
 * Reads a rule from a file.
 * @param resolve finds a state; null: there is none
 * @throws RuleFileError when it is no rule
 */
export async function fromFile(
  text: string,
  origin: string,
  resolve: (ref: StateRef) => Promise<number | null>,
): Promise<ReadFile> {
  const file = RuleFileSchema.safeParse(parse(text))
  if (!file.success) throw new RuleFileError('noRule')
  const refs = new Map<string, StateRef>()
  walk(file.data.rule, ({ state }) => {
    const ref = StateRefSchema.safeParse(state)
    if (ref.success) refs.set(keyOf(ref.data), ref.data)
    return null
  })
  const ids = new Map<string, number>()
  const missing: StateRef[] = []
  for (const [key, ref] of refs) {
    const id = await resolve(ref)
    if (id === null) missing.push(ref)
    ids.set(key, id ?? unknownState)
  }
  const { rule, leftOut } = withoutForeign(file.data.rule, file.data.origin !== origin)
  const fields = FileFields.safeParse(
    walk(rule, (value) => {
      const ref = StateRefSchema.safeParse(value.state)
      if (!ref.success) return null
      const { state: _, ...rest } = value
      return { ...rest, stateId: ids.get(keyOf(ref.data)) }
    }),
  )
  if (!fields.success) throw new RuleFileError('noRule', z.prettifyError(fields.error))
  return { draft: choosable(toDraft(fields.data)), missing, leftOut }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RuleFileError('noJson')
  }
}

const keyOf = ({ key, twin = '' }: StateRef) => `${twin}\n${key}`

/** In another installation the same id is something else. */
function withoutForeign(rule: Record<string, unknown>, isForeign: boolean) {
  if (!isForeign) return { rule, leftOut: 0 }
  let leftOut = 0
  const own = (list: unknown, foreign: ReadonlySet<string>) => {
    if (!Array.isArray(list)) return list
    const kept = list.filter((part) => !foreign.has(String((part as { kind?: unknown } | null)?.kind)))
    leftOut += list.length - kept.length
    return kept
  }
  // The twins of the other installation, and what its queries name.
  if (rule.many) leftOut++
  const triggers = own(rule.triggers, triggersByReach)
  const actions = own(rule.actions, actionsByReach)
  const alarm = { kind: 'alarm', severity: 'warning', message: String(rule.title) }
  return {
    rule: {
      ...rule,
      many: null,
      triggers: Array.isArray(triggers) && triggers.length === 0 ? [{ kind: 'values' }] : triggers,
      actions: Array.isArray(actions) && actions.length === 0 ? [alarm] : actions,
    },
    leftOut,
  }
}

/** The draft with fields to fill in where a state is missing. */
function choosable(draft: RuleDraft): RuleDraft {
  const chosen = <T extends object>(part: T): T =>
    'stateId' in part && part.stateId === unknownState ? { ...part, stateId: null } : part
  return { ...draft, metrics: draft.metrics.map(chosen), actions: draft.actions.map(chosen) }
}

type Json = Record<string, unknown>

/** A copy in which objects are replaced; `replace` returns null for those that stay. */
function walk<T>(value: T, replace: (value: Json) => Json | null, depth = 0): T {
  if (depth > depthMax) throw new RuleFileError('noRule')
  if (Array.isArray(value)) return value.map((each) => walk(each, replace, depth + 1)) as T
  if (typeof value !== 'object' || value === null) return value
  const replaced = replace(value as Json) ?? (value as Json)
  return Object.fromEntries(
    Object.entries(replaced).map(([name, each]) => [name, walk(each, replace, depth + 1)]),
  ) as T
}
