import type { TFunction } from 'i18next'
import type { ActionFault, FaultContext } from './types.ts'

const fixedPlaceholders = ['twin.title', 'rule.title', 'time']
const placeholder = /\{\{\s*([A-Za-z][A-Za-z0-9_.]*)\s*\}\}/g

/** The placeholders a rule's texts may contain. */
export function placeholders(aliases: readonly string[]): string[] {
  return [...aliases, ...fixedPlaceholders].map((name) => `{{${name}}}`)
}

/** The placeholder that is being typed before the caret, and where it is; null: none. */
export function openPlaceholder(
  text: string,
  caret: number,
): { start: number; end: number; typed: string } | null {
  const found = /\{\{\s*([A-Za-z0-9_.]*)$/.exec(text.slice(0, caret))
  if (!found) return null
  const rest = /^[A-Za-z0-9_.]*\s*(?:\}\})?/.exec(text.slice(caret))?.[0] ?? ''
  const closed = rest.endsWith('}}') ? rest.length : 0
  return { start: found.index, end: caret + closed, typed: found[1] ?? '' }
}

/** A text with the placeholder of a renamed metric. */
export function renamePlaceholder(text: string, from: string, to: string): string {
  return text.replace(placeholder, (whole, name) => (name === from ? `{{${to}}}` : whole))
}

/** Texts of new actions, with the placeholder of a metric for the value. */
export function defaultText(t: TFunction, alias: string): (key: string) => string {
  // Rule placeholders look like i18n placeholders, so they are passed in as themselves.
  const names = {
    twin: '{{twin.title}}',
    rule: '{{rule.title}}',
    time: '{{time}}',
    value: `{{${alias}}}`,
    interpolation: { skipOnVariables: true },
  }
  return (key) => t(key, names)
}

/** Unknown placeholders in a text. */
function unknownPlaceholders(text: string, aliases: readonly string[]): string[] {
  const known = new Set([...aliases, ...fixedPlaceholders])
  const names = [...text.matchAll(placeholder)].flatMap((match) => (match[1] ? [match[1]] : []))
  return [...new Set(names)].filter((name) => !known.has(name))
}

export function textFaults(
  text: string,
  field: string,
  { metrics }: FaultContext,
  { required }: { required: boolean },
): ActionFault[] {
  const aliases = metrics.map(({ alias }) => alias)
  return [
    ...(required && text.trim() === '' ? [{ field, key: 'required' }] : []),
    ...unknownPlaceholders(text, aliases).map((name) => ({ field, key: 'unknownPlaceholder', name })),
  ]
}

/** Faults of JSON with placeholders: outside of texts they stand for any value. */
export function jsonFaults(text: string, field: string): ActionFault[] {
  if (text.trim() === '') return []
  try {
    JSON.parse(text.replace(placeholder, '0'))
    return []
  } catch {
    return [{ field, key: 'json' }]
  }
}

/** JSON to begin with. */
export function jsonExample(aliases: readonly string[]): string {
  const lines = ['"text": "{{rule.title}}: {{twin.title}}"', '"time": {{time}}']
  const values = aliases.map((alias) => `"${alias}": {{${alias}}}`)
  return `{\n  ${[...lines, ...values].join(',\n  ')}\n}`
}
