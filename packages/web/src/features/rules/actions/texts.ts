import type { ActionFault, FaultContext } from './types.ts'

const fixedPlaceholders = ['twin.title', 'rule.title', 'time']
const placeholder = /\{\{\s*([A-Za-z][A-Za-z0-9_.]*)\s*\}\}/g

/** The placeholders a rule's texts may contain. */
export function placeholders(aliases: readonly string[]): string[] {
  return [...aliases, ...fixedPlaceholders].map((name) => `{{${name}}}`)
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
