import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ElixirEngine } from './engine.ts'
import { bounded } from './hostile.calls.table.ts'
import { refused } from './hostile.table.ts'
import { findElixir } from './runtime.ts'
import { elixirLimits } from './types.ts'

/*
 * Hostile parsers in the engine of live traffic, while the parser of another account, the canary, reads its
 * packets: its process must survive, its results must be correct, and none of its data may appear in the
 * others' results.
 */

const canary = { accountId: 1, isTrial: false }
const hostile = { accountId: 2, isTrial: false }
const secret = `canary ${randomUUID()}`
const canarySource = `defmodule Parser do
  def parse(<<x>>, meta), do: %{x: x, text: String.reverse(meta["text"])}
end`

const hits: string[] = []
const engine = new ElixirEngine({
  runtime: findElixir(),
  log: { info: () => undefined, warn: () => undefined },
  onLimit: (accountId, detail) => hits.push(`${accountId} ${detail}`),
  // Budgets of a hostile account are tested elsewhere; here everything has to run.
  limits: {
    ...elixirLimits,
    cpu: { perSecond: 1e6, burst: 1e9 },
    crashes: { perSecond: 1e3, burst: 1e6 },
  },
})
afterAll(() => engine[Symbol.asyncDispose]())

let canaryPid: number | undefined

beforeAll(async () => {
  await expectCanary()
  canaryPid = engine.pidOf(canary)
})

async function expectCanary(): Promise<void> {
  const inputs = [7, 8].map((x) => ({ payload: Buffer.from([x]), meta: { text: secret } }))
  const text = [...secret].reverse().join('')
  expect(await engine.run(canarySource, inputs, canary)).toMatchObject([
    { ok: true, value: { x: 7, text } },
    { ok: true, value: { x: 8, text } },
  ])
}

function sourceOf(body: string): string {
  if (body.startsWith('source:')) return body.slice('source:'.length)
  const module = body.startsWith('module:')
    ? body.slice('module:'.length)
    : `  def parse(payload, meta), do: (${body})`
  return `defmodule Parser do\n${module}\nend`
}

/** The result codes of a hostile source, with the canary's packets in between. */
async function codesOf(bodies: readonly string[]): Promise<string[]> {
  const input = { payload: Buffer.from('ff01', 'hex'), meta: { a: 1, b: { c: 'd' } } }
  const [answers] = await Promise.all([
    Promise.all(bodies.map((body) => engine.run(sourceOf(body), [input], hostile))),
    expectCanary(),
  ])
  const said = JSON.stringify(answers)
  expect(said).not.toContain(secret)
  expect(said).not.toContain([...secret].reverse().join(''))
  // The output of the commands and files in these sources.
  expect(said).not.toMatch(/uid=\d|root:x:0|passwd:/)
  return answers.map(([answer]) => (answer?.ok === false ? answer.error.code : 'ok'))
}

async function expectUnharmed(): Promise<void> {
  await expectCanary()
  expect(engine.pidOf(canary)).toBe(canaryPid)
  expect(canaryPid).toBeGreaterThan(0)
  expect(engine.pidOf(hostile)).not.toBe(canaryPid)
  expect(hits.filter((hit) => hit.startsWith('1 '))).toEqual([])
}

it('there are at least 150 of them', () => {
  const all = [...Object.values(refused).flat(), ...Object.values(bounded).flat()]
  expect(all.length).toBeGreaterThanOrEqual(150)
})

describe('a source is refused', () => {
  it.each(Object.entries(refused))('%s', async (_family, bodies) => {
    const codes = await codesOf(bodies)
    const through = bodies.filter((_, index) => !/^SCRIPT_(SYNTAX|NO_FUNCTION)$/.test(codes[index] ?? ''))
    expect(through).toEqual([])
    await expectUnharmed()
  })
})

describe('a call is stopped at its bounds', () => {
  it.each(Object.entries(bounded))('%s', async (_family, cases) => {
    const codes = await codesOf(cases.map(([body]) => body))
    const other = cases.flatMap(([body, expected], index) => {
      const code = (codes[index] ?? '').replace('SCRIPT_', '')
      return expected.split(' ').includes(code) ? [] : [{ body, code, expected }]
    })
    expect(other).toEqual([])
    await expectUnharmed()
  })
})

describe('one account and another', () => {
  const of = async (source: string, owner: { accountId: number; isTrial: boolean }) => {
    const [answer] = await engine.run(source, [{ payload: Buffer.from([1]), meta: {} }], owner)
    return answer?.ok ? answer.value : answer?.error.code
  }

  it('have processes of their own, also for the same source, and what is tried has another one', async () => {
    const trial = { accountId: 1, isTrial: true }
    const other = { accountId: 3, isTrial: false }
    const source = sourceOf('1')
    expect(await Promise.all([canary, trial, other].map((owner) => of(source, owner)))).toEqual([1, 1, 1])
    const pids = [canary, trial, other].map((owner) => engine.pidOf(owner))
    expect(new Set(pids).size).toBe(3)
    expect(pids).not.toContain(undefined)
    expect(await engine.check(source, 1)).toBeNull()
    expect(engine.pidOf(trial)).toBe(pids[1])
  })

  it('run as nobody who is somebody, behind a filter, and can start nothing', () => {
    const pid = engine.pidOf(canary)
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const value = (name: string) => new RegExp(`^${name}:\\s+(.+)$`, 'm').exec(status)?.[1]
    expect(value('Name')).toBe('beam.smp')
    expect(value('Uid')?.split('\t')).not.toContain('0')
    expect([value('Seccomp'), value('NoNewPrivs')]).toEqual(['2', '1'])
    expect(value('CapPrm')).toMatch(/^0+$/)
    const limits = readFileSync(`/proc/${pid}/limits`, 'utf8')
    expect(limits).toMatch(/^Max processes +1 +1 /m)
    expect(limits).toMatch(/^Max core file size +0 +0 /m)
    for (const space of ['user', 'pid', 'net', 'mnt', 'ipc', 'uts', 'cgroup'])
      expect(readlinkSync(`/proc/${pid}/ns/${space}`)).not.toBe(readlinkSync(`/proc/self/ns/${space}`))
  })

  it('share no names, modules or leftovers of calls', async () => {
    expect(await of('defmodule Shared do\n def parse(_, _), do: 1\nend', canary)).toBe(1)
    expect(await of(sourceOf('Shared.parse(1, 2)'), hostile)).toBe('SCRIPT_SYNTAX')
    expect(await of(sourceOf(':known_to_the_canary_only'), canary)).toBe('known_to_the_canary_only')
    const name = '"known_to_the_canary" <> "_only"'
    expect(await of(sourceOf(`String.to_existing_atom(${name})`), hostile)).toBe('SCRIPT_ERROR')
  })

  it('what takes the process of one down leaves that of the other alone', async () => {
    const crash = sourceOf('byte_size(:binary.copy("x", 3_000_000_000))')
    expect(await of(crash, hostile)).toMatch(/SCRIPT_(CRASHED|MEMORY|QUARANTINED)/)
    await expectUnharmed()
  })
})
