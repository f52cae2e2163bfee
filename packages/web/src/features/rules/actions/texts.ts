import type { TFunction } from 'i18next'
import type { ActionFault, FaultContext } from './types.ts'

const fixedPlaceholders = ['twin.title', 'rule.title', 'time']
const placeholder = /\{\{\s*([A-Za-z][A-Za-z0-9_.]*)\s*\}\}/g

/** The placeholders a rule's texts may contain. */
export function placeholders(aliases: readonly string[]): string[] {
  return [...aliases, ...fixedPlaceholders].map((name) => `{{${name}}}`)
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
