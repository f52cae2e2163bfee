import type { JsonValue } from '@leitstand/contract/common'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fuzzing, mutantsOf, rubbish, rubbishBytes, soundBodies } from '../../../../test/fuzz.ts'
import { isDeeperThan } from '../../../platform/http/depth.ts'
import { startTestEngine, type TestEngine } from '../../../platform/scripts/testing.ts'
import { foreignMessage, type Reading, type Translation, translate } from './index.ts'
import { messageDepthMax } from './read.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await startTestEngine()
})
afterAll(() => engine[Symbol.asyncDispose]())

const topics = [
  'city/a/device-1',
  'a',
  '',
  '/',
  'x'.repeat(5000),
  'application/1/device/2/event/up',
  '\u0000/\ufffd',
]
const origin = fc.oneof(
  fc.record({ topic: fc.constantFrom(...topics) }),
  fc.record({
    query: fc.dictionary(fc.constantFrom('event', '__proto__', 'x'), fc.string({ maxLength: 20 })),
  }),
)

async function read(preset: Reading['preset'], text: string, from: object): Promise<Translation> {
  const template =
    'module.exports = (payload, meta) => Array.isArray(payload) ? payload : ({ identifier: payload.identifier || "x", data: payload, meta })'
  const reading = { preset, template, connectorId: 1, accountId: 1 }
  const translation = await translate(engine.engine, reading, foreignMessage(text, from))
  expectSound(translation)
  return translation
}

/** Invariants that the pipeline relies on, for any input. */
function expectSound({ packets, refused, event }: Translation): void {
  for (const { packet } of packets) {
    const name = 'identifier' in packet ? packet.identifier : Object.values(packet.routing)[0]
    expect(typeof name).toBe('string')
    expect(String(name).length).toBeGreaterThan(0)
    expect(String(name).length).toBeLessThanOrEqual(200)
    const time = 'identifier' in packet ? packet.time : packet.data.time
    if (time !== undefined) expect(new Date(time).toISOString()).toBe(time)
    expectStorable(packet as unknown as JsonValue)
  }
  for (const { raw, code, message, identifier } of refused) {
    expect([typeof raw, typeof code]).toEqual(['string', 'string'])
    expect(message).not.toBe('')
    expect(identifier === null || identifier.length <= 200).toBe(true)
  }
  if (event) {
    const { downlink, detail, ...said } = event
    expectStorable({ ...said, detail })
    if (downlink) expectStorable({ ...downlink, names: [...downlink.names] })
  }
  expect(({} as { admin?: unknown }).admin).toBeUndefined()
}

/** What can be written as JSON is kept; what is nested without end cannot. */
function expectStorable(value: JsonValue): void {
  expect(typeof JSON.stringify(value)).toBe('string')
  expect(isDeeperThan(value, messageDepthMax + 10)).toBe(false)
}

describe.each(['standard', 'tts-v3', 'chirpstack-v4'] as const)('%s', (preset) => {
  test.each(soundBodies[preset].map((body, index) => [index + 1, body] as const))(
    'reads mutants of body %i or says why not',
    async (_index, body) => {
      await fc.assert(
        fc.asyncProperty(mutantsOf(body as JsonValue), origin, async (text, from) => {
          await read(preset, text, from)
        }),
        fuzzing(500),
      )
    },
  )

  test('refuses rubbish, and keeps it', async () => {
    const bytes = rubbishBytes.map((chunk) => Buffer.from(chunk).toString('utf8'))
    await fc.assert(
      fc.asyncProperty(fc.oneof(rubbish, bytes), origin, async (text, from) => {
        const { packets, refused, event } = await read(preset, text, from)
        const nothing = packets.length === 0 && refused.length === 0 && event === undefined
        expect(!nothing || text.trim() === '[]', `silently dropped: ${text}`).toBe(true)
      }),
      fuzzing(500),
    )
  })
})

test('a template answers every body with packets or a reason', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(mutantsOf(soundBodies.standard[0]), mutantsOf(soundBodies.standard[1] as never), rubbish),
      origin,
      async (text, from) => {
        await read('template', text, from)
      },
    ),
    fuzzing(300),
  )
})

test('a message nested deeper than anything sensible is refused with the reason, by every preset', async () => {
  const deep = `${'['.repeat(messageDepthMax + 1)}${']'.repeat(messageDepthMax + 1)}`
  for (const preset of ['standard', 'tts-v3', 'chirpstack-v4', 'template'] as const) {
    const { packets, refused } = await read(preset, `{"identifier":"a","data":${deep}}`, {})
    expect(packets).toEqual([])
    expect(refused).toMatchObject([{ code: 'PACKET_INVALID', message: expect.stringContaining('nested') }])
  }
})

test('of a long message that cannot be read only the beginning is kept', async () => {
  const text = '['.repeat(500_000) + ']'.repeat(500_000)
  for (const preset of ['standard', 'tts-v3', 'chirpstack-v4', 'template'] as const) {
    const { refused } = await read(preset, text, {})
    expect(refused).toHaveLength(1)
    expect(refused[0]?.isCut).toBe(true)
    expect(refused[0]?.raw === text.slice(0, 10_000)).toBe(true)
  }
})
