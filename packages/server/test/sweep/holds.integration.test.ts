import { limits } from '@leitstand/contract/common'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../kit.ts'
import { createWorld, type World } from '../matrix/world.ts'
import { operationsOf, requestOf } from './operations.ts'
import { sampleOf } from './samples.ts'
import { largest, type Place, placesOf, type Schema, wide } from './schemas.ts'
import { startSender } from './sender.ts'

/** For longer nobody else may have to wait because of one request, in milliseconds of processor time. */
const heldMsMax = 50
/** Room in a body beside what makes it large. */
const room = limits.bodyBytesMax - 20_000

let world: World
let sender: ReturnType<typeof startSender>
beforeAll(async () => {
  const app = await startApp()
  world = await createWorld(app)
  sender = startSender(app.url)
})
afterAll(() => sender[Symbol.asyncDispose]())

/** What costs most in a place. */
function heaviest({ kind, schema }: Place, root: Schema): unknown[] {
  const defs = typeof root === 'object' ? (root.$defs ?? {}) : {}
  const { maxLength = room, pattern, format } = schema
  if (kind === 'json') return [wide(room), 'x'.repeat(room)]
  if (kind === 'list' || kind === 'record') return [largest(schema, defs, room)]
  if (kind !== 'text') return []
  const isLong = maxLength >= 10_000
  const texts = isLong ? ['x'.repeat(Math.min(maxLength, room))] : []
  // Texts that break off late are what makes expressions go back.
  if (pattern !== undefined || format !== undefined || isLong)
    texts.push(`${'a.'.repeat(room / 2)}!`, `${'0'.repeat(room)}!`, `${' '.repeat(room)}!`)
  return texts
}

describe('no request holds up others for 50 ms:', () => {
  const operations = operationsOf().filter(({ schema }) => schema !== undefined)
  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (name, operation) => {
      const schema = operation.schema ?? true
      const { input, token } = await sampleOf(world, name)
      const found: string[] = []
      const room = operation.method === 'GET' ? 14_000 : undefined
      for (const place of placesOf(schema))
        for (const value of heaviest(place, schema)) {
          const text = JSON.stringify(place.set(input, value))
          if (room !== undefined && text.length > room) continue
          const request = requestOf(operation, place.set(input, value), token)
          const { heldMs, status, text: said } = await sender.sendAgain(request, heldMsMax)
          if (heldMs >= heldMsMax)
            found.push(
              `HOLD ${name} ${place.path.join('.')} ${place.kind} ${JSON.stringify(value).slice(0, 20)} (${text.length}): ${Math.round(heldMs)} ms ${status}`,
            )
          if (status >= 500 || status === 0)
            found.push(`5XX ${name} ${place.path.join('.')}: ${status} ${said}`)
        }
      expect(found).toEqual([])
    },
  )
})
