import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, test } from 'vitest'
import { ElixirEngine } from './engine.ts'
import { findElixir } from './runtime.ts'

const log = { info: () => undefined, warn: () => undefined }
const engine = new ElixirEngine({ runtime: findElixir(), log })
afterAll(() => engine[Symbol.asyncDispose]())

it('can be run here: install what it needs with sudo apt-get install elixir bubblewrap', async () => {
  expect(await engine.missing()).toBeNull()
})

const module = (body: string) => `defmodule Parser do\n${body}\nend`
const parse = (expression: string) => module(`  def parse(payload, meta), do: (${expression})`)

const live = { accountId: 1, isTrial: false }

async function run(source: string, hex = '', meta: Record<string, unknown> = {}) {
  const [answer] = await engine.run(source, [{ payload: Buffer.from(hex, 'hex'), meta }], live)
  if (answer === undefined) throw new Error('no answer')
  return answer
}
const answerOf = async (...args: Parameters<typeof run>) => {
  const answer = await run(...args)
  if (!answer.ok) throw new Error(`${answer.error.code} ${answer.error.message}`)
  return answer.value
}
const codeOf = async (...args: Parameters<typeof run>) => {
  const answer = await run(...args)
  return answer.ok ? 'ok' : answer.error.code
}

describe('a parser in Elixir', () => {
  it('matches bytes and metadata, by atoms and by text', async () => {
    const source = module(`
      def parse(<<1, t::signed-16, rest::binary>>, %{lora: %{fport: 2}} = meta) do
        %{temperature: t / 10, rest: byte_size(rest), port: meta["lora"]["fport"], rssi: meta.rssi, snr: meta[:snr]}
      end
      def parse(_, _), do: {:error, "unknown message"}`)
    const meta = { lora: { fport: 2 }, rssi: -80, snr: 7.5 }
    expect(await answerOf(source, '01fff10a', meta)).toEqual({
      temperature: -1.5,
      rest: 1,
      port: 2,
      rssi: -80,
      snr: 7.5,
    })
    expect(await run(source, '02')).toMatchObject({
      error: { code: 'SCRIPT_ERROR', message: /unknown message/ },
    })
  })

  test.each<[string, string, unknown]>([
    [
      'maps, lists, atoms, nothing',
      '%{"b c" => %{d: 2.5}, a: [1, :on, nil, true]}',
      { a: [1, 'on', null, true], 'b c': { d: 2.5 } },
    ],
    ['keyword lists', '[a: 1, b: 2]', { a: 1, b: 2 }],
    ['{:ok, value}', '{:ok, %{a: 1}}', { a: 1 }],
    [
      'measurements with their time',
      '[{%{a: 1}, measured_at: ~U[2026-01-01 00:00:00Z]}]',
      [{ a: 1, time: '2026-01-01T00:00:00Z' }],
    ],
    ['text that needs escaping', '"ä \\" \\\\ \\n"', 'ä " \\ \n'],
    ['bytes that are no text', '<<255, 0>>', 'ff00'],
    ['Bitwise', 'Bitwise.band(7, 5)', 5],
    ['text with values in it', '"#{1 + 1}"', '2'],
    ['Timex', 'Timex.from_unix(0) |> Timex.shift(months: 1, hours: -1)', '1970-01-31T23:00:00Z'],
    ['the ends of a month', 'Timex.end_of_month(~D[2028-02-10]) |> Timex.to_unix()', 1_835_481_599],
    ['the difference of times', 'Timex.diff(Timex.from_unix(7200), Timex.from_unix(0), :hours)', 2],
    ['captured functions', 'Enum.map([1, 2], &Integer.to_string/1)', ['1', '2']],
  ])('answers %s', async (_title, expression, expected) => {
    expect(await answerOf(parse(expression))).toEqual(expected)
  })

  it('prints to the console of the tester, and has helpers and modules of its own', async () => {
    const source = `
      defmodule Helper do
        @factor 0.5
        def half(x), do: x * @factor
      end
      ${module('  def parse(<<x>>, _), do: (IO.puts("byte #{x}"); %{half: Helper.half(x)})')}`
    expect(await run(source, '04')).toMatchObject({ ok: true, value: { half: 2 }, console: ['byte 4'] })
  })

  it('writes with Logger to the same console', async () => {
    const source = module(`
      require Logger
      def parse(<<x>>, _) do
        Logger.info("byte #{x}")
        %{x: x}
      end`)
    expect(await run(source, '07')).toMatchObject({ ok: true, value: { x: 7 }, console: ['byte 7'] })
  })

  it('does not take a time of another zone for one of UTC', async () => {
    const noon = (zone: string) => parse(`Timex.to_datetime({{2026, 7, 1}, {12, 0, 0}}, "${zone}")`)
    expect(await answerOf(noon('Etc/UTC'))).toBe('2026-07-01T12:00:00Z')
    expect(await run(noon('Europe/Berlin'))).toMatchObject({
      error: { code: 'SCRIPT_ERROR', message: /the zone "Europe\/Berlin" is not known/ },
    })
  })

  it('keeps the order of many packets, and one failing does not touch the others', async () => {
    const source = module('  def parse(<<x>>, _), do: %{v: 100 / x}')
    const inputs = Array.from({ length: 120 }, (_, x) => ({ payload: Buffer.from([x]), meta: {} }))
    const answers = await engine.run(source, inputs, live)
    expect(answers.map((each) => (each.ok ? each.value : each.error.code))).toEqual(
      inputs.map((_, x) => (x === 0 ? 'SCRIPT_ERROR' : { v: 100 / x })),
    )
  })
})

describe('what is refused', () => {
  test.each([
    ['a file', 'File.read!("/etc/passwd")'],
    ['a program', ":os.cmd('id')"],
    ['the environment', 'System.get_env()'],
    ['a module put together', "m = :os; m.cmd('id')"],
    ['apply', "apply(:os, :cmd, ['id'])"],
    ['captured apply', "(&apply/3).(:os, :cmd, ['id'])"],
    ['Kernel.apply', "Kernel.apply(:os, :cmd, ['id'])"],
    ['a captured call', "(&:os.cmd/1).('id')"],
    ['spawn', 'spawn(fn -> 1 end)'],
    ['another name of a module', 'Elixir.File.cwd()'],
    ['the runner', 'Leitstand.Runner.start()'],
    ['new atoms', 'String.to_atom("x")'],
    ['atoms with values in them', ':"a#{payload}"'],
    ['code', 'Code.eval_string("1")'],
    ['its own environment', '__ENV__'],
    ['quoted code', 'quote do: 1'],
  ])('%s', async (_title, expression) => {
    expect(await codeOf(parse(expression))).toBe('SCRIPT_SYNTAX')
  })

  test.each([
    ['hooks of the compiler', '  @before_compile File\n  def parse(_, _), do: 1'],
    ['macros', '  defmacro m, do: 1\n  def parse(_, _), do: 1'],
    ['use', '  use GenServer\n  def parse(_, _), do: 1'],
  ])('%s', async (_title, body) => {
    expect(await codeOf(module(body))).toBe('SCRIPT_SYNTAX')
  })

  it('is message with its line', async () => {
    expect(await engine.check(module('  def parse(_, _) do\n    File.cwd()\n  end'), 1)).toMatchObject({
      code: 'SCRIPT_SYNTAX',
      line: 3,
      message: 'File is not available to parsers',
    })
    expect(await engine.check('defmodule Parser do\n  def parse(', 1)).toMatchObject({
      code: 'SCRIPT_SYNTAX',
    })
    expect(await engine.check(module('  def other(_), do: 1'), 1)).toMatchObject({
      code: 'SCRIPT_NO_FUNCTION',
    })
    expect(await engine.check(parse('1'), 1)).toBeNull()
  })
})

describe('the bounds of a call', () => {
  test.each([
    ['time', 'Enum.each(Stream.cycle([1]), fn _ -> 1 end)', 'SCRIPT_TIMEOUT'],
    ['memory', 'Tuple.duplicate(0, 5_000_000) |> tuple_size()', 'SCRIPT_MEMORY'],
    ['output', 'String.duplicate("x", 70_000)', 'SCRIPT_OUTPUT_TOO_LARGE'],
    ['what JSON has', 'fn -> 1 end', 'SCRIPT_OUTPUT_INVALID'],
  ])('%s', async (_title, expression, code) => {
    expect(await codeOf(parse(expression))).toBe(code)
    expect(await answerOf(parse('1'))).toBe(1)
  })

  it('time while it is compiled', async () => {
    const source = module('  @x Enum.each(Stream.cycle([1]), fn _ -> 1 end)\n  def parse(_, _), do: @x')
    expect(await codeOf(source)).toBe('SCRIPT_TIMEOUT')
    expect(await answerOf(parse('1'))).toBe(1)
  })

  it('memory outside of the heap: whichever bound is reached first, others go on', async () => {
    const copies = 'Enum.map(1..100_000, fn x -> :binary.copy(<<x>>, 10_000_000) end)'
    expect(['SCRIPT_MEMORY', 'SCRIPT_TIMEOUT', 'SCRIPT_CRASHED']).toContain(await codeOf(parse(copies)))
    expect(await answerOf(parse('1'))).toBe(1)
  })

  it('a script that takes the process down is found, and the others run again', async () => {
    const source = module(
      '  def parse(<<x>>, _), do: if(x == 1, do: byte_size(:binary.copy("x", 3_000_000_000)), else: x)',
    )
    const inputs = [0, 1, 2].map((x) => ({ payload: Buffer.from([x]), meta: {} }))
    const answers = await engine.run(source, inputs, live)
    expect(answers.map((each) => (each.ok ? each.value : each.error.code))).toEqual([0, 'SCRIPT_CRASHED', 2])
  })
})

describe('where parsers cannot be kept in', () => {
  const without = async (path: string) => {
    await using other = new ElixirEngine({ runtime: findElixir(path), log })
    const inputs = [
      { payload: Buffer.from([1]), meta: {} },
      { payload: Buffer.from([2]), meta: {} },
    ]
    return { answers: await other.run(parse('1'), inputs, live), check: await other.check(parse('1'), 1) }
  }

  it('none is run, and the answer says that Elixir is missing', async () => {
    const error = { code: 'PARSER_ELIXIR_MISSING', params: { kind: 'elixir' } }
    const { answers, check } = await without('/nowhere')
    expect(answers).toMatchObject([
      { ok: false, error },
      { ok: false, error },
    ])
    expect(check).toMatchObject(error)
  })

  it('none is run, and the answer says that bubblewrap is missing, or does not work', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'leitstand-path-'))
    try {
      for (const program of ['elixir', 'erl', 'prlimit'])
        symlinkSync(execFileSync('which', [program], { encoding: 'utf8' }).trim(), join(folder, program))
      const { check } = await without(folder)
      expect(check).toMatchObject({ code: 'PARSER_ELIXIR_MISSING', params: { kind: 'bubblewrap' } })
      const path = `${folder}:/usr/bin:/bin`
      // A bubblewrap that exists but does not work, as where user namespaces are forbidden.
      writeFileSync(
        join(folder, 'bwrap'),
        '#!/bin/sh\necho "No permissions to create new namespace" >&2\nexit 1\n',
      )
      chmodSync(folder, 0o755)
      chmodSync(join(folder, 'bwrap'), 0o755)
      const broken = await without(path)
      expect(broken.check).toMatchObject({
        code: 'PARSER_ELIXIR_MISSING',
        message: expect.stringContaining('No permissions to create new namespace'),
        params: { kind: 'sandbox' },
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

it('answers SCRIPT_ENGINE_FAILED where its process does not start', async () => {
  const found = await findElixir()
  if ('reason' in found) throw new Error(found.message)
  const broken = {
    ...found,
    sandbox: (place: number) => ({ ...found.sandbox(place), program: '/bin/false' }),
  }
  await using other = new ElixirEngine({ runtime: Promise.resolve(broken), log })
  const [answer] = await other.run(parse('1'), [{ payload: Buffer.from([1]), meta: {} }], live)
  expect(answer).toMatchObject({ ok: false, error: { code: 'SCRIPT_ENGINE_FAILED' } })
})
