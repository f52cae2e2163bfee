import { readFileSync } from 'node:fs'
import { encodeDownlink, toHex } from '@leitstand/contract/downlinkPayload'
import { libraryCategories } from '@leitstand/contract/driverLibrary'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { startTestEngine, type TestEngine } from '../../../platform/scripts/testing.ts'
import { flattenOutput } from '../decode.ts'
import { checkGolden } from '../golden.ts'
import { type RunnableDriver, runDriver } from '../run.ts'
import { type LibraryDriver, libraryDriver, libraryDrivers, localise } from './index.ts'
import { comparePublished } from './published.ts'

const drivers = libraryDrivers()
const runnable = (driver: LibraryDriver): RunnableDriver => ({
  driverId: drivers.indexOf(driver) + 1,
  number: 1,
  parser: { kind: 'function' },
  script: driver.script,
  accountId: 1,
})

/** CRC-16 with the polynomial 0xA001, which Modbus uses as well. */
function crc16(bytes: Uint8Array): number {
  let crc = 0xffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1
  }
  return crc
}

let test: TestEngine
beforeAll(async () => {
  test = await startTestEngine(1)
})
afterAll(() => test[Symbol.asyncDispose]())

describe('the driver library', () => {
  it('has drivers for what a city meets, of many makers', () => {
    expect(drivers.length).toBeGreaterThanOrEqual(40)
    expect(new Set(drivers.map((driver) => driver.manufacturer)).size).toBeGreaterThanOrEqual(15)
    expect(new Set(drivers.map((driver) => driver.category))).toEqual(new Set(libraryCategories))
  })

  it('calls the same thing by the same name and unit everywhere', () => {
    const seen = new Map<string, string>()
    for (const { key, variables } of drivers)
      for (const variable of variables) {
        const meaning = JSON.stringify([variable.unit, variable.title])
        expect(`${key} ${seen.get(variable.key) ?? meaning}`).toBe(`${key} ${meaning}`)
        seen.set(variable.key, meaning)
      }
  })

  it('documents every variable with its unit and titles, and none that nobody yields', () => {
    const document = readFileSync(new URL('../../../../../../docs/variables.md', import.meta.url), 'utf8')
    const rows = [...document.matchAll(/^\| `([^`]+)` *\|([^|]*)\|([^|]*)\|([^|]*)\|$/gm)]
    const documented = rows.map(([, key, ...cells]) => [key, ...cells.map((cell) => cell.trim())].join(' | '))
    const used = drivers.flatMap(({ variables }) =>
      variables.map(({ key, unit, title }) => [key, unit, title.de, title.en].join(' | ')),
    )
    expect(documented).toEqual([...new Set(used)].sort((a, b) => (a < b ? -1 : 1)))
  })

  it('has downlinks where a maker documents them, most with the bytes of an example of theirs', () => {
    const withDownlinks = drivers.filter(({ downlinks }) => downlinks.length > 0)
    expect(withDownlinks.length).toBeGreaterThanOrEqual(100)
    // What the devices of a maker have in common counts once.
    const examples = new Map(
      withDownlinks.flatMap(({ manufacturer, downlinks }) =>
        downlinks.flatMap((downlink) =>
          downlink.examples.map(({ bytes, source }) => [`${manufacturer} ${bytes}`, source] as const),
        ),
      ),
    )
    const published = [...examples.values()].filter((source) => source === 'published')
    expect(published.length).toBeGreaterThan(examples.size / 2)
  })

  it('puts the right checksum behind every choice for Decentlab', () => {
    const localised = drivers
      .filter(({ families }) => families.includes('decentlab'))
      .flatMap((driver) => localise(driver, 'en').downlinks)
    const commands = localised.flatMap(({ payload, parameters }) => [
      payload,
      ...parameters.flatMap((parameter) =>
        parameter.type === 'enum'
          ? parameter.options.map(({ value }) => payload.slice(0, 4) + value.toString(16).padStart(8, '0'))
          : [],
      ),
    ])
    expect(commands.length).toBeGreaterThan(0)
    for (const command of commands) {
      const bytes = Buffer.from(command, 'hex')
      expect([command, bytes.readUInt16BE(4)]).toEqual([command, crc16(bytes.subarray(0, 4))])
    }
  })

  it('says of published packets that no driver reads why that is so', () => {
    const unread = z
      .array(
        z.strictObject({
          maker: z.string(),
          model: z.string(),
          fPort: z.int(),
          payload: z.string(),
          reason: z.string().min(20),
        }),
      )
      .parse(JSON.parse(readFileSync(new URL('./unread.json', import.meta.url), 'utf8')))
    const makers = new Set(drivers.map(({ manufacturer }) => manufacturer))
    expect(unread.filter(({ maker }) => makers.has(maker))).toEqual([])
    const read = new Set(
      drivers.flatMap(({ golden }) => golden.map(({ fPort, payload }) => `${fPort} ${payload}`)),
    )
    expect(unread.filter(({ fPort, payload }) => read.has(`${fPort} ${payload}`))).toEqual([])
  })

  it('finds one by key and speaks both languages', () => {
    const driver = libraryDriver('dragino-lht65')
    if (driver === undefined) throw new Error('missing')
    expect(localise(driver, 'de').variables[0]).toEqual({
      key: 'temperature',
      unit: '°C',
      title: 'Temperatur',
    })
    expect(localise(driver, 'en').variables[0]?.title).toBe('Temperature')
    expect(localise(driver, 'de').golden[0]).not.toHaveProperty('source')
    expect(libraryDriver('nobody-nothing')).toBeUndefined()
  })
})

describe.each(drivers.map((driver) => [driver.key, driver] as const))('%s', (_key, driver) => {
  it('decodes its golden packets', async () => {
    expect(await checkGolden({ scripts: test.engine }, runnable(driver), driver.golden, 1)).toEqual([])
  })

  it('names every variable that it yields', async () => {
    const packets = driver.golden.map(({ payload, encoding, fPort }) => ({
      payload,
      encoding,
      fPort,
      time: new Date(0),
    }))
    const decoded = await runDriver({ scripts: test.engine }, runnable(driver), packets, { dataAccountId: 1 })
    const known = new Set(driver.variables.map((variable) => variable.key))
    for (const { variables, warnings } of decoded) {
      expect(Object.keys(variables).filter((name) => !known.has(name))).toEqual([])
      expect(
        warnings.filter(({ params }) => params?.kind === 'renamed' || params?.kind === 'longName'),
      ).toEqual([])
    }
  })

  it('agrees with the published decodings, but for the names and units that it documents', () => {
    const names = new Set(driver.golden.flatMap(({ published }) => Object.keys(published ?? {})))
    for (const name of Object.keys(driver.published.names)) expect(names).toContain(name)
    for (const { fPort, published, expected } of driver.golden) {
      if (published === undefined || driver.published.replies.includes(fPort ?? -1)) continue
      const ours = flattenOutput(expected, new Date(0)).measurements[0]?.variables ?? {}
      expect(comparePublished(published, ours, driver.published.names)).toEqual([])
    }
  })

  it('refuses what the published decodings refuse', async () => {
    const packets = driver.refused.map(({ payload, encoding, fPort }) => ({
      payload,
      encoding,
      fPort,
      time: new Date(0),
    }))
    const decoded = await runDriver({ scripts: test.engine }, runnable(driver), packets, { dataAccountId: 1 })
    expect(decoded.map(({ error }) => error?.code)).toEqual(packets.map(() => 'SCRIPT_ERROR'))
  })

  it('looks at variables that it has when it watches over the health', () => {
    const known = driver.variables.map(({ key }) => key)
    for (const { condition } of driver.health) if (condition) expect(known).toContain(condition.variable)
    expect(localise(driver, 'de').health.entries).toHaveLength(driver.health.length)
  })

  it('makes of its downlinks the bytes that the maker documents', () => {
    for (const language of ['de', 'en'] as const)
      for (const [index, downlink] of localise(driver, language).downlinks.entries())
        for (const { values, bytes } of driver.downlinks[index]?.examples ?? []) {
          const made = encodeDownlink(downlink, values)
          expect([downlink.name, made.ok ? toHex(made.bytes) : made]).toEqual([downlink.name, bytes])
        }
  })

  it('is recognised as pure: it runs at full speed', async () => {
    expect(await test.engine.check({ kind: 'driver', source: driver.script })).toMatchObject({
      ok: true,
      family: 'decodeUplink',
      purity: 'pure',
      hints: [],
    })
  })

  it('answers whatever bytes come', async () => {
    const ports = [...new Set(driver.golden.map((packet) => packet.fPort ?? 1)), 0, 223]
    const packet = fc.record({
      bytes: fc.uint8Array({ maxLength: 60 }),
      prefix: fc.constantFrom('', ...driver.golden.map(({ payload }) => payload)),
      fPort: fc.constantFrom(...ports),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(packet, { minLength: 20, maxLength: 40 }), async (packets) => {
        const inputs = packets.map(({ bytes, prefix, fPort }) => ({
          payload: prefix + Buffer.from(bytes).toString('hex'),
          encoding: 'base16' as const,
          fPort,
          time: new Date(0),
        }))
        const decoded = await runDriver({ scripts: test.engine }, runnable(driver), inputs, {
          dataAccountId: 1,
        })
        expect(decoded).toHaveLength(inputs.length)
        // A refusal is an answer; a driver that throws on bytes it does not know is a mistake of ours.
        expect(
          decoded.map(({ error }) => error?.message ?? '').filter((text) => /^\w*Error:/.test(text)),
        ).toEqual([])
        expect(
          decoded
            .map(({ error }) => error?.code)
            .filter((code) => code !== undefined && code !== 'SCRIPT_ERROR'),
        ).toEqual([])
      }),
      { numRuns: 10 },
    )
    expect(test.engine.status().restarts).toBe(0)
  })
})
