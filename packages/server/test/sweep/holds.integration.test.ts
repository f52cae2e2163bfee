import { limits } from '@leitstand/contract/common'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../kit.ts'
import { heldMsMax } from '../loopWatch.ts'
import { createWorld, type World } from '../matrix/world.ts'
import { type Operation, operationsOf, requestOf } from './operations.ts'
import { sampleOf } from './samples.ts'
import { largest, type Place, placesOf, type Schema, wide } from './schemas.ts'
import { startSender } from './sender.ts'

/** Maximum address length the HTTP server accepts, with room for headers. */
const addressMax = 14_000
/** Leaves room in the body for the other fields. */
const room = limits.bodyBytesMax - 20_000

let world: World
let sender: ReturnType<typeof startSender>
beforeAll(async () => {
  const app = await startApp()
  world = await createWorld(app)
  sender = startSender(app.url)
})
afterAll(() => sender[Symbol.asyncDispose]())

/** The most expensive values for a place. */
function heaviest({ kind, schema }: Place, root: Schema): unknown[] {
  const defs = typeof root === 'object' ? (root.$defs ?? {}) : {}
  const { maxLength = room, pattern, format } = schema
  if (kind === 'json') return [wide(room), 'x'.repeat(room), wide(limits.bodyValuesMax * 3 - 600)]
  if (kind === 'list' || kind === 'record')
    return [largest(schema, defs, room), largest(schema, defs, 250_000)]
  if (kind !== 'text') return []
  const isLong = maxLength >= 10_000
  const texts = isLong ? ['x'.repeat(Math.min(maxLength, room))] : []
  // Texts that fail to match only at their end make regular expressions backtrack.
  if (pattern !== undefined || format !== undefined || isLong)
    texts.push(`${'a.'.repeat(room / 2)}!`, `${'0'.repeat(room)}!`, `${' '.repeat(room)}!`)
  return texts
}

/** Tries similar places only once: conditions nest in the same ways over and over. */
function distinct(places: readonly Place[]): Place[] {
  const seen = new Set<string>()
  return places.filter(({ path, kind, schema }) => {
    const key = `${kind} ${path.findLast((part) => typeof part === 'string')} ${JSON.stringify(schema)}`
    return !seen.has(key) && seen.add(key)
  })
}

interface Heavy {
  place: string
  input: unknown
  /** the same for places of other operations with the same schema; undefined: there is no other */
  schema?: string
}

/**
 * Inputs of an operation that are as expensive as possible in one place each, and one that is large
 * everywhere.
 */
function heavyInputs({ path, method, schema = true }: Operation, input: unknown): Heavy[] {
  const inPath = (name: unknown) => path.includes(`{${name}}`) || path.includes(`{+${name}}`)
  const places = distinct(placesOf(schema)).filter((place) => !inPath(place.path[0]))
  const defs = typeof schema === 'object' ? (schema.$defs ?? {}) : {}
  const whole = { ...(largest(schema, defs, 400_000) as object), ...(input as object | undefined) }
  const each = places.flatMap((place) =>
    heaviest(place, schema).map((value, index) => ({
      place: place.path.join('.'),
      input: place.set(input, value),
      schema: `${method === 'GET'} ${index} ${JSON.stringify(place.schema)}`,
    })),
  )
  const all: Heavy[] = [...each, { place: 'everything', input: whole }]
  // Longer addresses are rejected by the HTTP server itself.
  return method === 'GET' ? all.filter((made) => JSON.stringify(made.input).length < addressMax) : all
}

describe('no request holds up others for 50 ms:', () => {
  const operations = operationsOf().filter(({ schema }) => schema !== undefined)
  /** Schemas of places whose heavy inputs the contract refuses, and the server has: in the same way for every operation. */
  const refused = new Set<string>()
  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (name, operation) => {
      const { input, token } = await sampleOf(world, name)
      const found: string[] = []
      for (const { place, input: made, schema } of heavyInputs(operation, input)) {
        const request = requestOf(operation, made, token)
        if (request.path.length > addressMax) continue
        if (schema !== undefined && refused.has(schema) && !(await operation.accepts(made))) continue
        const { heldMs, status, code, text } = await sender.sendAgain(request, heldMsMax)
        if (heldMs >= heldMsMax || status >= 500 || status === 0)
          found.push(
            `${place} (${request.body?.length} characters): ${Math.round(heldMs)} ms, ${status} ${text}`,
          )
        else if (schema !== undefined && code === 'PARAMETER_VALIDATION_ERROR') refused.add(schema)
      }
      expect(found).toEqual([])
    },
  )
})
