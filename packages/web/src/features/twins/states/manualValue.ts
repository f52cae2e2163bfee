import type { State } from '@leitstand/contract/states'

/** The text of the field for a state's current value; `true` for a boolean without one. */
export function initialText({ value, valueType }: Pick<State, 'value' | 'valueType'>): string {
  if (value === null) return valueType === 'boolean' ? 'true' : ''
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}

/** Whether the text is not a value of the state's type; an empty text is only incomplete. */
export function isFaulty({ valueType }: Pick<State, 'valueType'>, text: string): boolean {
  if (text.trim() === '') return false
  if (valueType === 'number') return !Number.isFinite(Number(text))
  return valueType === 'json' && !isJson(text)
}

/** The value to set. The text must not be faulty. */
export function toValue({ valueType }: Pick<State, 'valueType'>, text: string) {
  if (valueType === 'number') return Number(text)
  if (valueType === 'boolean') return text === 'true'
  return valueType === 'json' ? JSON.parse(text) : text
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
