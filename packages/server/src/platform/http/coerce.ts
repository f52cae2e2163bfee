import { type JsonSchema, JsonSchemaCoercer } from '@orpc/json-schema'
import type { AnyProcedure } from '@orpc/server'
import { ZodToJsonSchemaConverter } from '@orpc/zod/zod4'

/** An object, or one of several kinds of objects, which have the parameters of the address in common. */
interface ObjectSchema {
  properties?: Record<string, JsonSchema>
  anyOf?: ObjectSchema[]
  oneOf?: ObjectSchema[]
}

const converter = new ZodToJsonSchemaConverter()
const coercer = new JsonSchemaCoercer()
const schemas = new WeakMap<object, ObjectSchema>()

/**
 * Converts texts of the path and query to the types the operation declares: numbers, booleans, and an array
 * even when the parameter occurs once; a DELETE may have its options in the query. A JSON body already has
 * types and is left unchanged: "12" is not a number there. Values that cannot be converted stay texts and are
 * rejected by the operation's schema.
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
    const property = propertyOf(schema, name)
    if (property !== undefined && name in input) result[name] = coerceOne(property, input[name])
  }
  return result
}

function propertyOf({ properties, anyOf, oneOf }: ObjectSchema, name: string): JsonSchema | undefined {
  return properties?.[name] ?? [...(anyOf ?? []), ...(oneOf ?? [])][0]?.properties?.[name]
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
