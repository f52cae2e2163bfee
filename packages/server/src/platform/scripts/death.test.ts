import { describe, expect, it } from 'vitest'
import { driver, good, outcome, startTestEngine } from './testing.ts'
import { LIMITS } from './types.ts'

const inputs = (count: number) => Array.from({ length: count }, (_, n) => ({ payload: n }))
const double = () => driver('module.exports = function (n) { return { n: n * 2 } }')

describe('sandbox processes die', () => {
  it('killed in the middle of the work: every call is answered right', async () => {
    await using test = await startTestEngine(2)
    const { engine } = test
    const slow = driver(
      'module.exports = function (n) { for (let i = 0; i < 2e5; i++); return { n: n * 2 } }',
    )
    const runs = Array.from({ length: 6 }, () => engine.run(slow, inputs(2000)))
    for (const { pid } of engine.status().processes) process.kill(pid, 'SIGKILL')
    const results = await Promise.all(runs)
    const expected = inputs(2000).map(({ payload }) => ({ n: payload * 2 }))
    for (const result of results) expect(result.map(good)).toEqual(expected)
    expect(engine.status().restarts).toBe(2)
  }, 300_000)

  it('killed by somebody else at a call of a single input: that input is not taken for guilty', async () => {
    await using test = await startTestEngine(1)
    const { engine } = test
    const slow = driver(
      'module.exports = function (n) { for (let i = 0; i < 2e6; i++); return { n: n * 2 } }',
    )
    const runs = inputs(60).map((input) => engine.run(slow, [input]))
    await runs[0]
    // By now it is working on one of the others.
    for (const { pid } of engine.status().processes) process.kill(pid, 'SIGKILL')
    const results = await Promise.all(runs)
    expect(results.flat().map(good)).toEqual(inputs(60).map(({ payload }) => ({ n: payload * 2 })))
    expect(engine.status().restarts).toBe(1)
  }, 300_000)

  it('killed again and again while idle: it comes back', async () => {
    await using test = await startTestEngine(1)
    const { engine } = test
    for (let i = 0; i < 3; i++) {
      const [{ pid } = { pid: 0 }] = engine.status().processes
      process.kill(pid, 'SIGKILL')
      expect((await engine.run(double(), inputs(3))).map(good)).toEqual([{ n: 0 }, { n: 2 }, { n: 4 }])
    }
  }, 300_000)

  it('frozen: it is killed and replaced', async () => {
    await using test = await startTestEngine(1)
    const { engine } = test
    const [{ pid } = { pid: 0 }] = engine.status().processes
    process.kill(pid, 'SIGSTOP')
    expect((await engine.run(double(), inputs(3))).map(good)).toEqual([{ n: 0 }, { n: 2 }, { n: 4 }])
    expect(test.logged.join()).toContain('no sign of life')
  }, 300_000)

  it('checks survive, too', async () => {
    await using test = await startTestEngine(1)
    const { engine } = test
    const check = engine.check({ kind: 'driver', source: 'module.exports = () => 1' })
    const [{ pid } = { pid: 0 }] = engine.status().processes
    process.kill(pid, 'SIGKILL')
    expect(await check).toMatchObject({ ok: true, family: 'function' })
  }, 300_000)

  it('a script that keeps crashing rests, and others run on', async () => {
    await using test = await startTestEngine(1)
    const { engine } = test
    const bomb = driver('module.exports = function () { return "x".repeat(5e8).split("") }')
    const results = await engine.run(bomb, inputs(10))
    expect(new Set(results.map(outcome))).toEqual(new Set(['SCRIPT_CRASHED']))
    expect((await engine.run(bomb, inputs(1))).map(outcome)).toEqual(['SCRIPT_QUARANTINED'])
    expect(engine.status().quarantined).toHaveLength(1)
    expect((await engine.run(double(), inputs(2))).map(good)).toEqual([{ n: 0 }, { n: 2 }])
    const mended = driver('module.exports = function () { return 1 }')
    expect((await engine.run(mended, inputs(1))).map(good)).toEqual([1])
  }, 300_000)

  it('stopped: waiting calls are answered, nothing hangs', async () => {
    const test = await startTestEngine(1)
    const slow = driver('module.exports = function (n) { for (let i = 0; i < 1e7; i++); return n }')
    const run = test.engine.run(slow, inputs(LIMITS.outstandingInputs + 600))
    await test[Symbol.asyncDispose]()
    expect((await run).map(outcome)).toContain('SCRIPT_ENGINE_BUSY')
    expect((await test.engine.run(slow, inputs(1))).map(outcome)).toEqual(['SCRIPT_ENGINE_BUSY'])
  }, 300_000)
})
