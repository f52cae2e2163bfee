import { beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../kit.ts'
import { createWorld, type World } from '../matrix/world.ts'
import { type Operation, operationsOf, requestOf, type Sent } from './operations.ts'
import { sampleOf } from './samples.ts'
import { type Place, placesOf } from './schemas.ts'

let app: TestApp
let world: World
beforeAll(async () => {
  app = await startApp()
  world = await createWorld(app)
})

/** Strings PostgreSQL cannot store. */
const unstorable = ['a\u0000b', 'x\ud800']

async function send({ method, path, headers, body }: Sent) {
  const answer = await fetch(`${app.url}${path}`, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  })
  const text = await answer.text()
  const code = /"code":"(\w+)"/.exec(text)?.[1] ?? ''
  return { status: answer.status, code, text: text.slice(0, 300) }
}

/** The input with values in this place that cannot be stored. */
function spoiled({ kind, set }: Place, input: unknown): unknown[] {
  if (kind === 'text') return unstorable.map((text) => set(input, text))
  if (kind === 'list') return [set(input, [unstorable[0]])]
  if (kind === 'record') return unstorable.slice(0, 2).map((key) => set(input, { [key]: 'x' }))
  if (kind === 'json') return [set(input, { a: [unstorable[1]] }), set(input, { '\u0000': 1 })]
  return []
}

describe('NUL and half surrogates are refused in texts of', () => {
  const operations = operationsOf().filter(({ schema }) => schema !== undefined)
  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (name, operation) => {
      const { input, token } = await sampleOf(world, name)
      const wrong: string[] = []
      for (const place of places(operation))
        for (const bad of spoiled(place, input)) {
          const fault = await faultOf(operation, bad, token)
          if (fault !== undefined) wrong.push(`${place.path.join('.')}: ${fault}`)
        }
      expect(wrong).toEqual([])
    },
  )
})

/**
 * One place of each kind: at the top or further inside, in the path of the address or not. Texts are looked for in whole inputs
 * before operations see them, in whatever place: see `wellFormed.test.ts`.
 */
function places({ path: address, schema = true }: Operation): Place[] {
  const seen = new Set<string>()
  return placesOf(schema).filter(({ path, kind }) => {
    const inAddress = address.includes(`{${path[0]}}`) || address.includes(`{+${path[0]}}`)
    const key = `${kind} ${inAddress} ${Math.min(path.length, 2)}`
    return !seen.has(key) && seen.add(key)
  })
}

/** What is wrong with the response to an unstorable string; undefined: nothing. */
async function faultOf(operation: Operation, input: unknown, token: string): Promise<string | undefined> {
  const isPublic = operation.meta.rule === 'public'
  const { status, code, text } = await send(requestOf(operation, input, isPublic ? undefined : token))
  const said = `${JSON.stringify(input).slice(0, 100)} was answered ${status} ${text}`
  // A lone surrogate does not survive an address or a form: it becomes the replacement character.
  const isBytes = operation.method === 'GET' || operation.meta.fileBytesMax !== undefined
  const isLost = isBytes && !JSON.stringify(input).includes('\\u0000')
  if (isLost) return status < 500 ? undefined : said
  return code === 'PARAMETER_VALIDATION_ERROR' && status === 400 ? undefined : said
}
