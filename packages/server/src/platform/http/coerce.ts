import { type JsonSchema, JsonSchemaCoercer } from '@orpc/json-schema'
import type { AnyProcedure } from '@orpc/server'
import { ZodToJsonSchemaConverter } from '@orpc/zod/zod4'

type ObjectSchema = { properties?: Record<string, JsonSchema> }

const converter = new ZodToJsonSchemaConverter()
const coercer = new JsonSchemaCoercer()
const schemas = new WeakMap<object, ObjectSchema>()

/**
 * Gives the texts of a path and a query the types the operation names: numbers, booleans, and an array also when the
 * parameter came once; what a DELETE is told may stand in its query. A JSON body has types already and is left as it
 * is: "12" is not a number there.
 * What does not fit stays a text and is refused by the operation's own schema.
 */
export function coerceInput(procedure: AnyProcedure, input: unknown): unknown {
  const { inputSchema, route } = procedure['~orpc']
  if (!inputSchema || !isRecord(input)) return input
  let schema = schemas.get(inputSchema)
  if (!schema) {
    schema = converter.convert(inputSchema, { strategy: 'input' })[1] as ObjectSchema
    schemas.set(inputSchema, schema)
  }
  const fromPath = [...(route.path ?? '').matchAll(/\{\+?(\w+)\}/g)].map((match) => match[1] ?? '')
  const isAddress = route.method === 'GET' || route.method === 'DELETE'
  const names = isAddress ? Object.keys(input) : fromPath
  const result: Record<string, unknown> = { ...input }
  for (const name of names) {
    const property = schema.properties?.[name]
    if (property !== undefined && name in input) result[name] = coerceOne(property, input[name])
  }
  return result
}

function coerceOne(schema: JsonSchema, value: unknown): unknown {
  const list = isArraySchema(schema) && !Array.isArray(value) ? [value] : value
  return coercer.coerce(schema, list)
}

function isArraySchema(schema: JsonSchema): boolean {
  if (typeof schema === 'boolean') return false
  if (schema.type === 'array') return true
  return schema.anyOf?.some((alternative) => isArraySchema(alternative as JsonSchema)) ?? false
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
