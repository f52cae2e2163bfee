import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, FakeClock, startApp, type TestApp } from '../../../test/kit.ts'
import {
  createConnector,
  createDevice,
  createDriver,
  createState,
  createTwin,
  currentOf,
} from '../../../test/pipeline.ts'
import type { Outcome } from './index.ts'

const clock = new FakeClock()
let app: TestApp
beforeAll(async () => {
  app = await startApp({ clock })
})
afterAll(() => app[Symbol.asyncDispose]())

type Connector = Awaited<ReturnType<typeof createConnector>>

async function tenant(): Promise<Connector> {
  const account = await createAccount(app)
  return createConnector(app, account.id, account.scopeId)
}

let counter = 0
function submit(connector: Connector, identifier: string, data: number | string): Promise<Outcome> {
  const time = new Date(clock.now().getTime() + ++counter).toISOString()
  const packet =
    typeof data === 'string' ? { identifier, payload: data, time } : { identifier, data: { t: data }, time }
  return app.app.ingest.submit({
    connector,
    packets: [packet],
    raw: JSON.stringify(packet),
    receivedAt: clock.now(),
  })
}

/**
 * Takes the harness from the stack and returns results in its place, like a real attack on a running
 * instance.
 */
const takesHarness = (answer: string) => `
  let taken
  Error.prepareStackTrace = function (error, frames) {
    for (const frame of frames) {
      const owner = frame.getThis()
      if (owner && owner !== globalThis && typeof owner.call === 'function' && typeof owner !== 'function') taken = owner
    }
    return ''
  }
  function look() {
    new Error().stack
    if (!taken) return
    taken.isProbe = function () { return false }
    taken.call = function () { return ${answer} }
  }`

const attacks: readonly (readonly [string, string])[] = [
  ['an answer nested 60 000 deep', `'"v":' + '['.repeat(60000) + ']'.repeat(60000)`],
  ['an answer of 36 MB', `'"v":"' + 'x'.repeat(36e6) + '"'`],
  ['two answers for one message', `'"v":1},{"v":2'`],
  ['an answer that is no JSON', `'"v":nope'`],
  ['a code that does not exist', `'"c":{"toString":1},"e":[]'`],
]

describe('a hostile driver among the messages of others', () => {
  it.each(attacks)(
    '%s: everybody else is acknowledged',
    async (_title, answer) => {
      const [hostile, other] = [await tenant(), await tenant()]
      const driver = await createDriver(
        app,
        `${takesHarness(answer)}\nmodule.exports = function (p) { look(); return { p: parseInt(p, 16) } }`,
      )
      const decoding = await createDriver(
        app,
        'module.exports = function (p) { return { p: parseInt(p, 16) } }',
      )
      await createDevice(app, hostile, 'evil', driver)
      const device = await createDevice(app, other, 'good', decoding)
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, n) => [
          submit(hostile, 'evil', '0a'),
          submit(other, 'good', n.toString(16).padStart(2, '0')),
        ]).flat(),
      )
      expect(answers.map(({ accepted }) => accepted)).toEqual(answers.map(() => 1))
      const good = answers.flatMap(({ decoded }) => decoded).filter(({ deviceId }) => deviceId === device)
      expect(good.map(({ variables }) => variables)).toEqual(good.map((_, n) => ({ p: n })))
    },
    300_000,
  )

  it("an operator's transformer does the same and spoils its own values alone", async () => {
    const [hostile, other] = [await tenant(), await tenant()]
    const good = await createDevice(app, other, 'good')
    await createDevice(app, hostile, 'evil')
    const twin = await createTwin(app, hostile)
    for (const [index, [, answer]] of attacks.entries())
      await createState(app, twin, {
        key: `t${index}`,
        source: 'connector',
        connectorId: hostile.id,
        identifier: 'evil',
        variable: 't',
        transformer: `${takesHarness(answer)}; look(); return value`,
      })
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => [submit(hostile, 'evil', n), submit(other, 'good', n)]).flat(),
    )
    expect(answers.map(({ accepted }) => accepted)).toEqual(answers.map(() => 1))
    expect(await currentOf(app, good)).toMatchObject({ t: 39 })
  }, 300_000)
})

describe('an account whose scripts are slow', () => {
  it('does not hold up others before it is known, either', async () => {
    const [hostile, other] = [await tenant(), await tenant()]
    const loops = await createDriver(app, 'module.exports = function () { for (;;); }')
    await createDevice(app, hostile, 'evil', loops)
    await createDevice(app, other, 'good')
    const order: string[] = []
    const slow = Array.from({ length: 5 }, () => submit(hostile, 'evil', '00').then(() => order.push('slow')))
    const quick = submit(other, 'good', 1).then(() => order.push('quick'))
    await Promise.all([...slow, quick])
    expect(order[0]).toBe('quick')
    expect(order).toHaveLength(6)
  }, 300_000)

  it('nor does one whose transformer loops', async () => {
    const [hostile, other] = [await tenant(), await tenant()]
    const twin = await createTwin(app, hostile)
    await createState(app, twin, {
      key: 't',
      source: 'connector',
      connectorId: hostile.id,
      identifier: 'evil',
      variable: 't',
      transformer: 'for (;;);',
    })
    await createDevice(app, hostile, 'evil')
    const device = await createDevice(app, other, 'good')
    const order: string[] = []
    const slow = Array.from({ length: 5 }, (_, n) =>
      submit(hostile, 'evil', n).then(() => order.push('slow')),
    )
    const quick = submit(other, 'good', 7).then(() => order.push('quick'))
    await Promise.all([...slow, quick])
    expect(order[0]).toBe('quick')
    expect(await currentOf(app, device)).toMatchObject({ t: 7 })
  }, 300_000)

  it('waits for itself: messages of others overtake its own', async () => {
    const [hostile, other] = [await tenant(), await tenant()]
    const loops = await createDriver(app, 'module.exports = function () { for (;;); }')
    await app.ctx.db
      .updateTable('drivers')
      .set({ account_id: hostile.accountId, scope_id: hostile.scopeId })
      .where('id', '=', loops)
      .execute()
    await createDevice(app, hostile, 'evil', loops)
    await createDevice(app, other, 'good')
    await Promise.all(Array.from({ length: 20 }, () => submit(hostile, 'evil', '00')))
    expect(app.ctx.scripts.isTroubled(hostile.accountId)).toBe(true)
    expect(app.ctx.scripts.isTroubled(other.accountId)).toBe(false)
    const order: string[] = []
    const slow = Array.from({ length: 20 }, () =>
      submit(hostile, 'evil', '00').then(() => order.push('slow')),
    )
    const quick = submit(other, 'good', 1).then(() => order.push('quick'))
    await Promise.all([...slow, quick])
    expect(order[0]).toBe('quick')
    expect(order).toHaveLength(21)
  }, 300_000)
})
