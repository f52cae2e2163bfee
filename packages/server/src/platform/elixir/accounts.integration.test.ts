import { existsSync } from 'node:fs'
import { afterEach, beforeAll, expect, it, test } from 'vitest'
import { ElixirEngine } from './engine.ts'
import { type ElixirRuntime, findElixir } from './runtime.ts'
import { type ElixirLimits, elixirLimits } from './types.ts'

/*
 * How the processes of accounts start, end and share the machine, and what happens to one that forges
 * messages.
 */

const warned: string[] = []
const hits: string[] = []
const log = { info: () => undefined, warn: (details: object) => warned.push(JSON.stringify(details)) }
let runtime: ElixirRuntime
let engine: ElixirEngine | undefined

beforeAll(async () => {
  const found = await findElixir()
  if ('reason' in found) throw new Error(found.message)
  runtime = found
})
afterEach(async () => {
  await engine?.[Symbol.asyncDispose]()
  warned.length = 0
  hits.length = 0
})

function start(limits: Partial<ElixirLimits> = {}, given: ElixirRuntime = runtime): ElixirEngine {
  engine = new ElixirEngine({
    runtime: Promise.resolve(given),
    log,
    limits: { ...elixirLimits, ...limits },
    onLimit: (accountId, detail) => hits.push(`${accountId} ${detail}`),
  })
  return engine
}

const of = (accountId: number, isTrial = false) => ({ accountId, isTrial })
const source = (expression: string) =>
  `defmodule Parser do\n  def parse(payload, _meta), do: (${expression})\nend`
const input = { payload: Buffer.from([5]), meta: {} }

async function answer(expression: string, owner: ReturnType<typeof of>, running = engine) {
  const [first] = (await running?.run(source(expression), [input], owner)) ?? []
  return first?.ok ? first.value : first?.error.code
}

it('the idle process of one makes room for another where there is one place', async () => {
  const running = start({ processesMax: 1 })
  expect(await answer('1', of(1))).toBe(1)
  const first = running.pidOf(of(1))
  expect(await answer('2', of(2))).toBe(2)
  expect(running.pidOf(of(1))).toBeUndefined()
  expect(running.pidOf(of(2))).not.toBe(first)
  await expect.poll(() => existsSync(`/proc/${first}`)).toBe(false)
})

it('one that is always busy gives its place back when its turn is over', async () => {
  const running = start({ processesMax: 1, turnMs: 0 })
  const busy = Array.from({ length: 6 }, () => answer('byte_size(payload)', of(1), running))
  const other = answer('"other"', of(2), running)
  expect(await other).toBe('other')
  expect(await Promise.all(busy)).toEqual(busy.map(() => 1))
})

it('one that waits too long for a place is refused', async () => {
  const running = start({ processesMax: 1, waitingMs: 1, turnMs: 60_000 })
  const slow = answer('Enum.each(Stream.cycle([1]), fn _ -> 1 end)', of(1), running)
  expect(await answer('1', of(2), running)).toBe('SCRIPT_ENGINE_BUSY')
  expect(await slow).toBe('SCRIPT_TIMEOUT')
})

it('what is tried has places of its own, and cannot take those of packets', async () => {
  start({ processesMax: 1, trialProcessesMax: 1 })
  expect(await Promise.all([answer('1', of(1)), answer('2', of(2, true))])).toEqual([1, 2])
})

it('a process that nobody needs is ended', async () => {
  const running = start({ idleMs: 1 })
  expect(await answer('1', of(1))).toBe(1)
  await expect.poll(() => running.pidOf(of(1))).toBeUndefined()
  expect(await answer('1', of(1))).toBe(1)
})

it('an account that has used up its processor time rests, and others do not', async () => {
  start({ cpu: { perSecond: 0.001, burst: 50 } })
  expect(await answer('Enum.each(Stream.cycle([1]), fn _ -> 1 end)', of(1))).toBe('SCRIPT_TIMEOUT')
  expect(await answer('1', of(1))).toBe('PARSER_ELIXIR_OVER_BUDGET')
  expect(hits).toEqual(['1 processor time and processes of its parsers'])
  const other = await answer('1', of(2))
  expect(other).toBe(1)
})

it('an account that takes its processes down rests', async () => {
  start({ crashes: { perSecond: 0.001, burst: 2 }, crashesMax: 100 })
  const crash = 'byte_size(:binary.copy("x", 3_000_000_000))'
  expect(await answer(crash, of(1))).toBe('SCRIPT_CRASHED')
  expect(await answer(crash, of(1))).toBe('SCRIPT_CRASHED')
  expect(await answer('1', of(1))).toBe('PARSER_ELIXIR_OVER_BUDGET')
  expect(await answer('1', of(2))).toBe(1)
})

it('a calculation that cannot be interrupted ends with its process', async () => {
  start({ callCpuMs: 300, lookMs: 20 })
  expect(await answer('rem(2 ** 100_000_000, 7)', of(1))).toBe('SCRIPT_TIMEOUT')
  expect(await answer('1', of(1))).toBe(1)
})

it('names are bounded: a process that has got too many is replaced', async () => {
  const running = start({ definitionsMax: 2 })
  expect(await answer(':first_name', of(1))).toBe('first_name')
  const first = running.pidOf(of(1))
  expect(await answer(':second_name', of(1))).toBe('second_name')
  expect(running.pidOf(of(1))).toBe(first)
  expect(await answer(':third_name', of(1))).toBe('third_name')
  expect(running.pidOf(of(1))).not.toBe(first)
})

// Code that has taken over a process can write anything into its pipe.
const frame = (text: string) => `P ! {self(), {command, ${text}}}`
const ready = frame('<<"{\\"ready\\":true}">>')
test.each([
  ['an answer nobody asked for', frame('<<"{\\"answer\\":{\\"v\\":1,\\"us\\":1}}">>')],
  ['no JSON', frame('<<"x">>')],
  ['what is nested too deep', frame('[lists:duplicate(60000, $[)]')],
  ['a length that is too great', frame('binary:copy(<<"x">>, 1000000)')],
  ['ready again', ready],
])('a process that says %s is killed, and nobody else is touched', async (_title, lie) => {
  const honest = start()
  expect(await answer('1', of(2), honest)).toBe(1)
  const pid = honest.pidOf(of(2))
  const boot = `P = open_port({fd, 3, 4}, [binary, {packet, 4}]), ${ready}, receive {P, _} -> ${lie} end, receive stop -> ok end.`
  const lying = new ElixirEngine({
    log,
    runtime: Promise.resolve({
      ...runtime,
      sandbox: (place: number) => {
        const sandbox = runtime.sandbox(place)
        const args = [...sandbox.args]
        args[args.indexOf('-eval') + 1] = boot
        return { ...sandbox, args }
      },
    }),
  })
  expect(await answer('1', of(1), lying)).toBe('SCRIPT_CRASHED')
  expect(warned.join()).toMatch(/asked|JSON|deep|long|second time/)
  expect(await answer('2', of(2), honest)).toBe(2)
  expect(honest.pidOf(of(2))).toBe(pid)
  await lying[Symbol.asyncDispose]()
})
