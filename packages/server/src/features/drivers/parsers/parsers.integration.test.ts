import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'

let app: TestApp
let parent: { id: number; scopeId: number; api: Api }

beforeAll(async () => {
  app = await startApp()
  const account = await createAccount(app, { name: 'Parent' })
  const { api } = await createUser(app, account, [{ roleId: await roleNamed(app, 'Device manager') }])
  parent = { ...account, api }
})

const script = (factor: number) =>
  `function decodeUplink({ bytes }) {\n  return { data: { t: bytes[0] * ${factor}, door: bytes[1] ? 'open' : 'shut' } }\n}`
const numbers = (driver: { versions: { number: number }[] }) => driver.versions.map(({ number }) => number)

describe('kinds of parsers', () => {
  const single = {
    kind: 'single' as const,
    fields: [
      { type: 'integer' as const, target: 't', offset: 0, length: 2, signed: true, factor: 0.1 },
      { type: 'boolean' as const, target: 'open', unit: 'bit' as const, offset: 16, length: 1 },
    ],
  }
  const create = (changes: object) =>
    parent.api.devicedrivers.create({ accountId: parent.id, title: 'Kinds', ...changes })

  test('a layout is stored, versioned, tried and run on golden packets like a script', async () => {
    const expected = { t: -1.5, open: true, f: 29.3 }
    const calculated = [{ key: 'f', expression: 't * 1.8 + 32' }]
    const content = { parser: single, calculated, golden: [{ payload: 'fff180', expected }] }
    const driver = await create(content)
    expect(driver).toMatchObject({ parserKind: 'single', parser: single, calculated, script: '' })
    const wrong = { ...driver, calculated: [{ key: 'f', expression: 't * 2' }] }
    expect(await errorOf(parent.api.devicedrivers.update(wrong))).toMatchObject({
      code: 'DEVICEDRIVER_GOLDEN_MISMATCH',
      data: { mismatches: [{ differences: [{ key: 'f', expected: 29.3, actual: -3 }] }] },
    })
    const fields = [
      ...single.fields,
      { type: 'text' as const, target: 'id', offset: 3, length: 1, optional: true },
    ]
    const second = await parent.api.devicedrivers.update({ ...driver, parser: { kind: 'single', fields } })
    expect(numbers(second)).toEqual([2, 1])
    const back = await parent.api.devicedrivers.publish({ id: driver.id, number: 1 })
    expect(back.publishedVersion).toBe(1)
    const { results } = await parent.api.dispatcher.parse({
      driverId: driver.id,
      packets: [{ payload: 'ffF1 80' }, { payload: '//GA', encoding: 'base64' }, { payload: 'ff' }],
    })
    expect(results.map(({ variables, error }) => error?.code ?? variables)).toEqual([
      expected,
      expected,
      'PARSER_PAYLOAD_TOO_SHORT',
    ])
    const { items } = await parent.api.devicedrivers.list({ search: 'Kinds' })
    expect(items.map(({ parserKind }) => parserKind)).toEqual(['single'])
  })

  test('every kind is tried before it is stored', async () => {
    const fields = (target: string) => [{ type: 'integer' as const, target, offset: 0, length: 1 }]
    const layouts = [{ when: { ports: [2] }, fields: fields('two') }, { fields: fields('other') }]
    const packets = [
      { payload: '07', fPort: 2 },
      { payload: '07', fPort: 3 },
    ]
    const parse = async (input: object) => {
      const { results } = await parent.api.dispatcher.parse({ packets, ...input })
      return results.map(({ variables, error }) => error?.code ?? variables)
    }
    expect(await parse({ parser: { kind: 'multi', layouts } })).toEqual([{ two: 7 }, { other: 7 }])
    expect(await parse({ script: script(2) })).toEqual([
      { t: 14, door: 'shut' },
      { t: 14, door: 'shut' },
    ])
    expect(await parse({ parser: { kind: 'unset' } })).toEqual(['PARSER_UNSET', 'PARSER_UNSET'])
    const json = [{ payload: '{"a":{"b":1}}', encoding: 'json' as const }]
    const calculated = [{ key: 'c', expression: 'a.b + 1' }]
    expect(await parse({ parser: { kind: 'unset' }, calculated, packets: json })).toEqual([
      { 'a.b': 1, c: 2 },
    ])
    expect(await errorOf(parse({}))).toMatchObject({ code: 'VALIDATION_ERROR' })
  })

  test('what contradicts itself is refused', async () => {
    expect(await errorOf(create({ parser: single, script: script(1) }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { field: 'script' },
    })
    const calculated = (key: string, expression: string) => ({
      parser: single,
      calculated: [{ key, expression }],
    })
    expect(await errorOf(create(calculated('t', '1')))).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { field: 'calculated.0.key' },
    })
    expect(await errorOf(create(calculated('x', 'x + 1')))).toMatchObject({
      code: 'CALCULATED_CYCLE',
      data: { keys: ['x', 'x'], way: 'x → x' },
    })
    expect(await errorOf(create(calculated('x', 't +')))).toMatchObject({
      code: 'CALCULATED_INVALID',
      data: { field: 'calculated.0.expression', line: 1 },
    })
    const twice = { parser: { ...single, fields: [single.fields[0], single.fields[0]] } }
    expect(await errorOf(create(twice))).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
  })

  test('one in Elixir is checked, tried and published like the others', async () => {
    const source = `defmodule Parser do
  def parse(<<t::signed-16, _::binary>>, %{lora: %{fport: 1}} = meta) do
    IO.puts("at " <> meta.time)
    %{t: t / 10}
  end
end`
    const elixir = { parser: { kind: 'elixir' as const }, script: source }
    const time = '2026-06-01T00:00:00.000Z'
    const { check, results } = await parent.api.dispatcher.parse({
      ...elixir,
      packets: [
        { payload: 'fff1', fPort: 1, time },
        { payload: 'ff', fPort: 1 },
      ],
    })
    expect(check).toMatchObject({ ok: true })
    expect(results).toMatchObject([
      { variables: { t: -1.5 }, console: [`at ${time}`] },
      { error: { code: 'SCRIPT_ERROR' } },
    ])
    const refused = { ...elixir, script: source.replace('IO.puts', 'File.rm!') }
    expect(await errorOf(create(refused))).toMatchObject({ code: 'SCRIPT_SYNTAX', data: { line: 3 } })
    const golden = [{ payload: 'fff1', fPort: 1, expected: { t: -1.5 } }]
    expect(await create({ ...elixir, golden })).toMatchObject({ parserKind: 'elixir', publishedVersion: 1 })
  })

  // A meter that sends the days of its readings with them, as parsers for it are written in both languages.
  const inElixir = `defmodule Parser do
  require Logger
  @ports [2, 3]

  def parse(<<version::4, flags::bitstring-size(4), count, rest::binary>>, %{lora: %{fport: port}} = meta)
      when version == 1 and port in @ports do
    Logger.info("#{count} readings")
    <<_::3, battery_low::1>> = flags

    with {:ok, received} <- Timex.parse(meta["time"], "{ISO:Extended}"),
         readings when length(readings) == count <- readings(rest) do
      readings
      |> Enum.with_index()
      |> Enum.map(fn {{volume, temperature}, days} ->
        at = received |> Timex.beginning_of_day() |> Timex.shift(days: -days)
        {%{volume: volume / 1000, temperature: temperature / 10, battery_low: battery_low == 1}, measured_at: at}
      end)
    else
      _ -> {:error, "the readings are incomplete"}
    end
  end

  def parse(_payload, _meta), do: {:error, "not known"}

  defp readings(bytes), do: for(<<volume::little-32, temperature::little-signed-16 <- bytes>>, do: {volume, temperature})
end`
  const inJavaScript = `function decodeUplink({ bytes, fPort, recvTime }) {
  if (bytes.length < 2 || bytes[0] >> 4 !== 1 || (fPort !== 2 && fPort !== 3)) return { errors: ['not known'] }
  console.log(bytes[1] + ' readings')
  const data = []
  const day = new Date(recvTime)
  day.setUTCHours(0, 0, 0, 0)
  for (let at = 2; at + 6 <= bytes.length; at += 6) {
    const volume = (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0
    const temperature = ((bytes[at + 4] | (bytes[at + 5] << 8)) << 16) >> 16
    data.push({ time: day.toISOString(), volume: volume / 1000, temperature: temperature / 10, battery_low: (bytes[0] & 1) === 1 })
    day.setUTCDate(day.getUTCDate() - 1)
  }
  return data.length === bytes[1] ? { data } : { errors: ['the readings are incomplete'] }
}`
  const both = [
    { parser: { kind: 'elixir' as const }, script: inElixir },
    { parser: { kind: 'function' as const }, script: inJavaScript },
  ]
  const tried = async (input: object, packets: object[]) => {
    const { results } = await parent.api.dispatcher.parse({ ...input, packets } as never)
    return results.map(({ variables, output, console: lines, error }) => ({
      variables,
      times: timesOf(output),
      lines,
      code: error?.code,
    }))
  }
  const timesOf = (output: unknown) =>
    Array.isArray(output) ? output.map(({ time }: { time: string }) => new Date(time).toISOString()) : []

  test('the same parser in Elixir and in JavaScript answers the same', async () => {
    const time = '2026-03-01T11:30:00.000Z'
    const packets = [
      { payload: '1101' + '40e20100' + 'd7ff', fPort: 2, time },
      { payload: '1003' + '40e20100' + '6400' + '39300000' + '6300' + 'ffffffff' + 'ff7f', fPort: 3, time },
      { payload: '1102' + '40e20100' + 'd7ff', fPort: 2, time },
      { payload: '2101', fPort: 2, time },
      { payload: '1100', fPort: 9, time },
    ]
    const [elixir, javascript] = await Promise.all(both.map((parser) => tried(parser, packets)))
    expect(elixir).toEqual(javascript)
    expect(elixir?.map(({ code }) => code)).toEqual([
      ...[undefined, undefined, 'SCRIPT_ERROR', 'SCRIPT_ERROR', 'SCRIPT_ERROR'],
    ])
    expect(elixir?.[1]).toMatchObject({
      times: ['2026-03-01T00:00:00.000Z', '2026-02-28T00:00:00.000Z', '2026-02-27T00:00:00.000Z'],
      lines: ['3 readings'],
    })
  })

  test.each([
    [
      'time',
      'def loop(x), do: loop(x + 1)\n  def parse(_, _), do: loop(0)',
      'for (;;) {}',
      ['SCRIPT_TIMEOUT'],
    ],
    // On a busy machine the time may be over before the memory is full.
    [
      'memory',
      'def parse(_, _), do: Tuple.duplicate(0, 5_000_000) |> tuple_size()',
      'return new Uint8Array(3e9)',
      ['SCRIPT_MEMORY', 'SCRIPT_TIMEOUT'],
    ],
    [
      'length of the answer',
      'def parse(_, _), do: %{text: String.duplicate("x", 100_000)}',
      "return { data: { text: 'x'.repeat(100000) } }",
      ['SCRIPT_OUTPUT_TOO_LARGE'],
    ],
  ])(
    'a parser in Elixir has the bounds of one in JavaScript: %s',
    async (_title, elixir, javascript, codes) => {
      const scripts = [
        { parser: { kind: 'elixir' }, script: `defmodule Parser do\n  ${elixir}\nend` },
        { parser: { kind: 'function' }, script: `function decodeUplink() {\n  ${javascript}\n}` },
      ]
      for (const parser of scripts) {
        const tries = await tried(parser, [{ payload: '00', fPort: 1 }])
        expect(tries).toHaveLength(1)
        expect(codes).toContain(tries[0]?.code)
      }
    },
  )

  test('an external one is tried by those who may write drivers, and only where the platform may connect to', async () => {
    const viewer = await createUser(app, { id: parent.id, scopeId: parent.scopeId }, [
      { roleId: await roleNamed(app, 'Viewer') },
    ])
    const trial = {
      parser: { kind: 'url' as const, url: 'https://127.0.0.1/parse', retries: 0 },
      packets: [{ payload: '00' }],
    }
    expect(await errorOf(viewer.api.dispatcher.parse(trial))).toMatchObject({ code: 'NO_PERMISSION' })
    const { results } = await parent.api.dispatcher.parse(trial)
    expect(results).toMatchObject([{ ok: false, error: { code: 'OUTGOING_ADDRESS_FORBIDDEN' } }])
    const wrong = (parser: object) => errorOf(create({ parser: { kind: 'url', ...parser } }))
    for (const parser of [
      { url: 'ftp://parser.example.org' },
      { url: 'https://parser.example.org', timeoutMs: 3001 },
      { url: 'https://parser.example.org', retries: 3 },
    ])
      expect(await wrong(parser)).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
    expect(await errorOf(create({ parserSecret: 'x', script: script(1) }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { field: 'parserSecret' },
    })
  })

  test('a token is kept until it is taken away', async () => {
    const url = { kind: 'url' as const, url: 'https://parser.example.org/' }
    const driver = await create({ parser: url, parserSecret: 'first' })
    const renamed = await parent.api.devicedrivers.update({ ...driver, title: 'Renamed' })
    expect([driver.hasParserSecret, renamed.hasParserSecret, numbers(renamed)]).toEqual([true, true, [1]])
    const without = await parent.api.devicedrivers.update({ ...renamed, parserSecret: null })
    expect(without.hasParserSecret).toBe(false)
    const log = await app.api.activityLog.list({ subject: 'DeviceDriver', objectId: driver.id })
    expect(JSON.stringify(log.items)).not.toContain('first')
    expect(log.items[0]?.changes).toEqual({ parserSecret: 'removed' })
  })
})
