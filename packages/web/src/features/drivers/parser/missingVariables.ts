import type { ParseResult, Variable } from '../queries.ts'

/** Variables of a result that the driver does not declare yet, with their type unless it is the default. */
export function missingVariables(
  result: Pick<ParseResult, 'variables'>,
  known: readonly Pick<Variable, 'key'>[],
) {
  const names = new Set(known.map(({ key }) => key))
  return Object.entries(result.variables)
    .filter(([key]) => !names.has(key))
    .map(([key, value]) => ({
      key,
      title: '',
      unit: '',
      ...(typeof value === 'number' ? {} : { valueType: typeOf(value) }),
    }))
}

function typeOf(value: unknown): 'boolean' | 'text' | 'json' {
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'string' ? 'text' : 'json'
}
