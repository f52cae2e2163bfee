import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../kit.ts'
import { createWorld, type World } from '../matrix/world.ts'
import { type Operation, operationsOf, requestOf } from './operations.ts'
import { sampleOf } from './samples.ts'
import { type Place, placesOf, unnested } from './schemas.ts'
import { startSender } from './sender.ts'

let world: World
let sender: ReturnType<typeof startSender>
beforeAll(async () => {
  const app = await startApp()
  world = await createWorld(app)
  sender = startSender(app.url)
})
afterAll(() => sender[Symbol.asyncDispose]())

/** At and beyond PostgreSQL's limits of integers, numbers and times. */
const numbers = [2_147_483_648, Number.MAX_SAFE_INTEGER, 1e308, -2_147_483_649, -1, 0, 0.5]
const times = [
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '+294277-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
]

function oddIn({ kind, schema }: Place): unknown[] {
  if (kind === 'number') return numbers
  if (kind === 'list') return [[]]
  if (kind === 'record') return [{}, { constructor: 'x', toString: 'y' }]
  if (kind === 'json') return [{ toString: 1, length: -1 }, 1e308]
  return schema.format === 'date-time' ? times : ['']
}

/** Every odd value with its place. */
function oddValues({ schema = true }: Operation): [Place, unknown][] {
  return unnested(placesOf(schema)).flatMap((place) =>
    oddIn(place).map((value): [Place, unknown] => [place, value]),
  )
}

/** The input with the next version, after a change that was stored. */
function nextVersion(input: unknown): unknown {
  const { version } = (input ?? {}) as { version?: unknown }
  return typeof version === 'number' ? { ...(input as object), version: version + 1 } : input
}

describe('numbers, times and empty lists nobody counts on are no failure of the server:', () => {
  const operations = operationsOf().filter(({ schema }) => schema !== undefined)
  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (name, operation) => {
      let { input, token } = await sampleOf(world, name)
      const seen = new Set<string>()
      const failed: string[] = []
      for (const [place, value] of oddValues(operation)) {
        const make = () => requestOf(operation, place.set(input, value), token)
        const request = make()
        // What the contract refuses gets no further than its schema: one of each kind is enough. Files are read before.
        const isRefused = !(operation.meta.fileBytesMax || (await operation.accepts(place.set(input, value))))
        const key = isRefused ? place.kind : `${request.path} ${request.body}`
        if (seen.has(key)) continue
        seen.add(key)
        let answer = await sender.send(request)
        if (answer.code === 'VERSION_CONFLICT' && place.path[0] !== 'version') {
          ;({ input, token } = await sampleOf(world, name))
          answer = await sender.send(make())
        }
        const { status, text } = answer
        // Responses of several parts have the error in the part.
        if (status >= 500 || text.includes('INTERNAL_ERROR'))
          failed.push(`${place.path.join('.')} = ${JSON.stringify(value)}: ${status} ${text}`)
        if (status < 300) input = nextVersion(input)
      }
      expect(failed).toEqual([])
    },
  )
})
