import type { StateForm } from './form.ts'

const fieldsOfCodes: Readonly<Record<string, keyof StateForm & string>> = {
  DTWIN_STATE_DUPLICATE_KEY: 'key',
  AGGREGATE_LOOP: 'stateIds',
  DTWIN_STATE_POSITION_TAKEN: 'positionAxis',
  DTWIN_STATE_UNITS: 'unit',
  DTWIN_STATE_COMPUTED: 'unit',
}

/**
 * The field of the state editor that a server error belongs to: a duplicate key, a loop of computed states, or
 * the field in the error's details. `hasText`: its own text explains it.
 */
export function placeOf(
  code: string,
  details: Readonly<Record<string, unknown>>,
  form: StateForm,
): { field: string; hasText: boolean } | undefined {
  const known = Object.hasOwn(fieldsOfCodes, code) ? fieldsOfCodes[code] : undefined
  if (known === 'stateIds' && form.by === 'query') return { field: 'queryKey', hasText: true }
  if (known !== undefined) return { field: known, hasText: true }
  const field = typeof details.field === 'string' ? details.field.split('.').at(-1) : undefined
  return field !== undefined && Object.hasOwn(form, field) ? { field, hasText: false } : undefined
}
