import { beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createUser, FakeClock, roleNamed, startApp, type TestApp } from '../../../test/kit.ts'
import { createConnector, createDevice } from '../../../test/pipeline.ts'

const clock = new FakeClock('2026-06-15T12:00:00.000Z')
let app: TestApp
let author: Account
let victim: Account

interface Account {
  id: number
  scopeId: number
  api: TestApp['api']
}

beforeAll(async () => {
  app = await startApp({ clock })
  author = await account('Author')
  victim = await account('Victim')
})

async function account(name: string): Promise<Account> {
  const made = await createAccount(app, { name })
  const { api } = await createUser(app, made, [{ roleId: await roleNamed(app, 'Device manager') }])
  return { ...made, api }
}

/** Ways to keep what came in that neither the text of a script nor its answers show, until a packet asks for it. */
const hoarders = {
  'a closure': `const kept = []
    function decodeUplink({ bytes }) { const all = kept
      if (bytes[0] === 0) return { data: { kept: all.join('|') } }
      all.push(String(bytes)); return { data: { ok: 1 } } }`,
  'a generator': `const keeper = (function* () { let all = ''; for (;;) all += yield all })()
    keeper.next()
    function decodeUplink({ bytes }) { const { value } = keeper.next(bytes[0] === 0 ? '' : '|' + bytes)
      return { data: bytes[0] === 0 ? { kept: value } : { ok: 1 } } }`,
  'a built-in function': `function decodeUplink({ bytes }) { const hole = [].flat
      if (bytes[0] === 0) return { data: { kept: String(hole.kept) } }
      hole.kept = hole.kept + '|' + bytes; return { data: { ok: 1 } } }`,
  'the last match of a regular expression': `function decodeUplink({ bytes }) {
      if (bytes[0] === 0) return { data: { kept: RegExp['$' + 1] } };
      /^(.*)$/.exec(String(bytes)); return { data: { ok: 1 } } }`,
}

const secret = '63616e617279'
const canary = '99,97,110,97,114,121'

describe.each(Object.entries(hoarders))('a driver for everybody that keeps payloads in %s', (_, script) => {
  it('gives nothing of one account to a device of another', async () => {
    const driver = await app.api.devicedrivers.create({
      accountId: author.id,
      title: 'Hoarder',
      script,
      visibility: 'everyone',
    })
    const own = await deviceOf(author, driver.id)
    const other = await deviceOf(victim, driver.id)
    // More than once and in one batch each, so that contexts are warm and shared where they are at all.
    for (let round = 0; round < 3; round++) {
      await other.submit(secret)
      expect(await own.submit('00')).not.toContain(canary)
    }
  })

  it('gives nothing of it to its author in the tester', async () => {
    const driver = await app.api.devicedrivers.create({
      accountId: author.id,
      title: 'Tried',
      script,
      visibility: 'everyone',
    })
    const other = await deviceOf(victim, driver.id)
    await other.submit(secret)
    const packets = [{ payload: secret }]
    await victim.api.dispatcher.parse({ driverId: driver.id, packets })
    const again = { driverId: driver.id, packets: [{ payload: '00' }] }
    expect(JSON.stringify(await author.api.dispatcher.parse(again))).not.toContain(canary)
    expect(JSON.stringify(await author.api.dispatcher.parse({ ...again, script }))).not.toContain(canary)
    expect(
      JSON.stringify(await author.api.dispatcher.parseOfType({ ...again, id: driver.id })),
    ).not.toContain(canary)
  })
})

it('keeps calculated variables and health expressions of one driver apart by account', async () => {
  /** Keeps a value of `raw` in a built-in function, and answers all it has kept when `raw` is 0. */
  const hoard =
    "((hole) => (raw === '0' ? String(hole.kept) : ((hole.kept = hole.kept + '|' + raw), '')))([].flat)"
  const driver = await app.api.devicedrivers.create({
    accountId: author.id,
    title: 'Formulas',
    visibility: 'everyone',
    script: 'function decodeUplink({ bytes }) { return { data: { raw: String(bytes) } } }',
    calculated: [{ key: 'kept', expression: hoard }],
    health: {
      expertMode: true,
      stateKeys: ['raw'],
      entries: [
        {
          identifier: 'seen',
          category: 'device',
          type: 'warning',
          description: '',
          expression: `${hoard}.includes('${canary}')`,
        },
      ],
    },
  })
  const own = await deviceOf(author, driver.id)
  const other = await deviceOf(victim, driver.id)
  await other.submit(secret)
  expect(await own.submit('00')).not.toContain(canary)
  expect(await own.health()).toBe(0)
})

let serial = 0

/** A device whose packets are answered with what its driver made of them. */
async function deviceOf({ id: accountId, scopeId }: Account, driverId: number) {
  const connector = await createConnector(app, accountId, scopeId)
  const externalId = `hoard-${++serial}`
  const id = await createDevice(app, connector, externalId, driverId)
  return {
    async submit(payload: string): Promise<string> {
      clock.advance(1000)
      const packets = Array.from({ length: 3 }, () => ({ identifier: externalId, payload }))
      await app.app.ingest.submit({ connector, packets, raw: '[]', receivedAt: clock.now() })
      const rows = await app.ctx.db
        .selectFrom('packets')
        .select(['variables', 'error'])
        .where('device_id', '=', id)
        .execute()
      return JSON.stringify(rows)
    },
    async health(): Promise<number> {
      const row = await app.ctx.db
        .selectFrom('device_live')
        .select('health')
        .where('twin_id', '=', id)
        .executeTakeFirstOrThrow()
      return row.health
    },
  }
}
