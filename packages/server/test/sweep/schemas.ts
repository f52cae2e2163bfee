/** The part of JSON Schema in use. */
export type Schema =
  | boolean
  | {
      type?: string
      properties?: Record<string, Schema>
      required?: string[]
      additionalProperties?: Schema
      propertyNames?: Schema
      items?: Schema
      prefixItems?: Schema[]
      anyOf?: Schema[]
      oneOf?: Schema[]
      allOf?: Schema[]
      enum?: unknown[]
      const?: unknown
      minLength?: number
      maxLength?: number
      minItems?: number
      maxItems?: number
      minimum?: number
      maximum?: number
      format?: string
      pattern?: string
      $ref?: string
      $defs?: Record<string, Schema>
      default?: unknown
    }

export type Path = readonly (string | number)[]

/** A place in an input. */
export interface Place {
  path: Path
  /** the names on the way here from the innermost variant of a union, with the constants that choose it */
  inVariant: string
  kind: 'text' | 'number' | 'list' | 'record' | 'json'
  schema: Exclude<Schema, boolean>
  /** the input with another value in this place; missing parents are created */
  set: (input: unknown, value: unknown) => unknown
}

const depthMax = 7

/** All places of an input that take a string, a number, a list, a record or any JSON. */
export function placesOf(root: Schema): Place[] {
  const defs = typeof root === 'object' ? (root.$defs ?? {}) : {}
  const found: Place[] = []
  const visit = (
    given: Schema,
    path: Path,
    inVariant: string,
    set: Place['set'],
    refs: readonly string[],
  ): void => {
    if (path.length > depthMax) return
    const schema = resolve(given, defs)
    const ref = typeof given === 'object' ? given.$ref : undefined
    if (ref !== undefined && refs.filter((each) => each === ref).length > 1) return
    const inner = ref === undefined ? refs : [...refs, ref]
    if (typeof schema === 'boolean' || Object.keys(schema).every((key) => key === 'default')) {
      if (schema !== false) found.push({ path, inVariant, kind: 'json', schema: {}, set })
      return
    }
    const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
    if (choices) {
      for (const choice of choices) visit(choice, path, inVariant, set, inner)
      return
    }
    const kind = kindOf(schema)
    if (kind !== undefined) found.push({ path, inVariant, kind, schema, set })
    const variant = variantOf(schema, inVariant)
    for (const inside of within(schema, defs))
      visit(
        inside.schema,
        [...path, inside.name],
        `${variant}.${inside.name}`,
        (input, value) => set(input, (old: unknown) => inside.put(old, value)),
        inner,
      )
  }
  visit(root, [], '', (input, value) => put(value, input), [])
  return found
}

/** The constants that tell a variant of a union from others; without any, what contains it. */
function variantOf({ properties = {} }: Exclude<Schema, boolean>, outer: string): string {
  const constants = Object.entries(properties).flatMap(([name, each]) =>
    typeof each !== 'boolean' && each.const !== undefined ? [`${name}=${each.const}`] : [],
  )
  return constants.length === 0 ? outer : constants.join(' ')
}

/**
 * Of the places in the same variant below the same field of the input only the first: conditions contain each other,
 * and each is read by the same code at whatever depth.
 */
export function unnested(places: readonly Place[]): Place[] {
  const seen = new Set<string>()
  return places.filter(({ path, inVariant, kind, schema }) => {
    const key = `${kind} ${path[0]} ${inVariant} ${JSON.stringify(schema)}`
    return !seen.has(key) && seen.add(key)
  })
}

/** A place in an object or list; `put` returns a copy with another value there. */
interface Inside {
  name: string | number
  schema: Schema
  put: (old: unknown, value: unknown) => unknown
}

function within(schema: Exclude<Schema, boolean>, defs: Record<string, Schema>): Inside[] {
  const { properties = {}, items, additionalProperties } = schema
  const named = Object.entries(properties).map(([name, property]): Inside => {
    const putIn = (old: unknown, value: unknown) => {
      const object = objectOf(old, schema, defs)
      return { ...object, [name]: put(value, object[name]) }
    }
    return { name, schema: property, put: putIn }
  })
  const inList = (old: unknown, value: unknown) => {
    const [first, ...rest] = Array.isArray(old) ? (old as unknown[]) : []
    return [put(value, first), ...rest]
  }
  const inRecord = (old: unknown, value: unknown) => ({
    ...(old as object | undefined),
    key: put(value, undefined),
  })
  return [
    ...named,
    ...(items === undefined ? [] : [{ name: 0, schema: items, put: inList }]),
    ...(additionalProperties ? [{ name: 'key', schema: additionalProperties, put: inRecord }] : []),
  ]
}

/** A value, or a function that derives it from the previous one. */
function put(value: unknown, old: unknown): unknown {
  return typeof value === 'function' ? (value as (old: unknown) => unknown)(old) : value
}

function resolve(schema: Schema, defs: Record<string, Schema>): Schema {
  if (typeof schema === 'boolean' || schema.$ref === undefined) return schema
  return defs[schema.$ref.replace('#/$defs/', '')] ?? true
}

function kindOf({
  type,
  enum: values,
  additionalProperties,
}: Exclude<Schema, boolean>): Place['kind'] | undefined {
  if (values !== undefined) return undefined
  if (type === 'string') return 'text'
  if (type === 'number' || type === 'integer') return 'number'
  if (type === 'array') return 'list'
  return additionalProperties !== undefined && additionalProperties !== false ? 'record' : undefined
}

/** The existing object if it has this variant's constants; else a new one. */
function objectOf(
  old: unknown,
  schema: Exclude<Schema, boolean>,
  defs: Record<string, Schema>,
): Record<string, unknown> {
  const fits =
    typeof old === 'object' &&
    old !== null &&
    Object.entries(schema.properties ?? {}).every(
      ([name, each]) =>
        typeof each === 'boolean' ||
        each.const === undefined ||
        (old as Record<string, unknown>)[name] === each.const,
    )
  return fits ? (old as Record<string, unknown>) : (least(schema, defs) as Record<string, unknown>)
}

/** The smallest value of a schema. */
export function least(given: Schema, defs: Record<string, Schema>, depth = 0): unknown {
  const schema = resolve(given, defs)
  if (typeof schema === 'boolean' || depth > depthMax) return null
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.default !== undefined) return schema.default
  const choice = (schema.anyOf ?? schema.oneOf ?? schema.allOf)?.[0]
  if (choice !== undefined) return least(choice, defs, depth + 1)
  if (schema.type === 'string') return sampleText(schema)
  if (schema.type === 'number' || schema.type === 'integer')
    return Math.max(schema.minimum ?? 1, Math.min(1, schema.maximum ?? 1))
  if (schema.type === 'boolean') return false
  if (schema.type === 'array')
    return Array.from({ length: schema.minItems ?? 0 }, () => least(schema.items ?? true, defs, depth + 1))
  if (schema.type === 'object')
    return Object.fromEntries(
      (schema.required ?? []).map((name) => [
        name,
        least(schema.properties?.[name] ?? true, defs, depth + 1),
      ]),
    )
  return null
}

function sampleText({ format, minLength = 1 }: Exclude<Schema, boolean>): string {
  if (format === 'date-time') return '2026-03-04T05:06:07.000Z'
  if (format === 'date') return '2026-03-04'
  if (format === 'email') return 'somebody@example.org'
  if (format === 'uri') return 'https://example.org/'
  if (format === 'uuid') return '3ac7e3c4-0000-4000-8000-000000000001'
  return 'x'.repeat(Math.max(1, minLength))
}

/** The largest value of a schema that fits into this many characters of JSON. */
export function largest(given: Schema, defs: Record<string, Schema>, room: number, depth = 0): unknown {
  const schema = resolve(given, defs)
  if (typeof schema === 'boolean' || depth > depthMax) return wide(room)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const inner = (each: Schema, own: number) => largest(each, defs, own, depth + 1)
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (choices) {
    const holders = choices.filter((each) => {
      const one = resolve(each, defs)
      return typeof one === 'object' && ['object', 'array'].includes(one.type ?? '')
    })
    return inner(holders.at(-1) ?? choices[0] ?? true, room)
  }
  if (schema.type === 'string') {
    if (schema.format || schema.pattern) return sampleText(schema)
    return 'ü'.repeat(Math.max(schema.minLength ?? 0, Math.min(schema.maxLength ?? room, room)))
  }
  if (schema.type === 'array') return largestList(schema, room, inner)
  if (schema.type === 'object') return largestObject(schema, room, inner)
  return least(schema, defs)
}

type Inner = (schema: Schema, room: number) => unknown

function largestList({ items = true, maxItems }: Exclude<Schema, boolean>, room: number, inner: Inner) {
  const each = inner(items, Math.min(20, room / 10))
  const own = charsOf(each) + 1
  const count = Math.max(0, Math.min(maxItems ?? room, Math.floor(room / own)))
  const wider = maxItems === undefined ? each : inner(items, room / Math.max(1, count) - 10)
  return Array.from({ length: count }, (_, index) => numbered(wider, index))
}

function largestObject(
  { properties = {}, additionalProperties }: Exclude<Schema, boolean>,
  room: number,
  inner: Inner,
) {
  const fields = Object.entries(properties)
  const fixed = fields.map(([name, each]) => [name, inner(each, room / fields.length - name.length - 4)])
  if (!additionalProperties) return Object.fromEntries(fixed)
  const each = inner(additionalProperties, 10)
  const count = Math.floor(room / (charsOf(each) + 12))
  return Object.fromEntries([...fixed, ...Array.from({ length: count }, (_, index) => [`k${index}`, each])])
}

function charsOf(value: unknown): number {
  return (JSON.stringify(value) ?? '').length
}

/** Makes the ids of a list distinct. */
function numbered(value: unknown, index: number): unknown {
  return typeof value === 'number' ? value + index : value
}

/** JSON with as many values as possible. */
export function wide(room: number): unknown {
  return Array.from({ length: Math.max(0, Math.floor(room / 3)) }, () => [])
}
