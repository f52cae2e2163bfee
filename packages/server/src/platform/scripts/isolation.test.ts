import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createScriptEngine } from './index.ts'
import { isolations, nodeFlags } from './isolation.ts'
import { driver, good, outcome, startTestEngine } from './testing.ts'
import { LIMITS, type ScriptSource } from './types.ts'

const echo = (account: number): ScriptSource =>
  driver('module.exports = (p) => ({ n: parseInt(p, 16) })', { group: `account:${account}` })
const bomb = (account: number): ScriptSource =>
  driver('module.exports = () => "x".repeat(5e8).split("")', { group: `account:${account}` })
const inputs = [{ bytes: '01' }, { bytes: '02' }]

const endless = (account: number): ScriptSource =>
  driver('module.exports = () => { for (;;); }', { group: `account:${account}` })
const isEndlessFor01 = (account: number): ScriptSource =>
  driver('module.exports = (p) => { while (p === "01"); return { n: 0 } }', { group: `account:${account}` })

it('a script that never answered and runs out of time once runs apart from live traffic', async () => {
  await using test = await startTestEngine(1)
  const { engine } = test
  const script = endless(7)
  expect((await engine.run(script, [{ bytes: '00' }])).map(outcome)).toEqual(['SCRIPT_TIMEOUT'])
  expect(engine.status().processes).toHaveLength(1)
  const stalling = engine.run(script, inputs)
  // It gets a process of its own, while live traffic continues in the other one.
  expect(engine.status().processes).toHaveLength(2)
  const niceness = () => engine.status().processes.map(({ pid }) => getPriority(pid))
  await expect.poll(niceness).toEqual([getPriority(), 19])
  expect((await engine.run(echo(8), inputs)).map(good)).toEqual([{ n: 1 }, { n: 2 }])
  expect((await stalling).map(outcome)).toEqual(['SCRIPT_TIMEOUT', 'SCRIPT_TIMEOUT'])
})

it('a script that answered before runs apart when it runs out of time again and again', async () => {
  await using test = await startTestEngine(1)
  const { engine } = test
  const script = isEndlessFor01(7)
  expect((await engine.run(script, [{ bytes: '00' }])).map(good)).toEqual([{ n: 0 }])
  for (let round = 0; round <= LIMITS.stallsPerOwner; round++) {
    const stalling = engine.run(script, [{ bytes: '01' }])
    expect(engine.status().processes).toHaveLength(1)
    expect((await stalling).map(outcome)).toEqual(['SCRIPT_TIMEOUT'])
  }
  const stalling = engine.run(script, [{ bytes: '01' }])
  expect(engine.status().processes).toHaveLength(2)
  expect((await stalling).map(outcome)).toEqual(['SCRIPT_TIMEOUT'])
})

it('after an account delayed live traffic, its new scripts run apart until they have answered', async () => {
  await using test = await startTestEngine(1)
  const { engine } = test
  const [known, unknown] = [echo(7), isEndlessFor01(7)]
  await engine.run(known, inputs)
  expect((await engine.run(endless(7), [{ bytes: '00' }])).map(outcome)).toEqual(['SCRIPT_TIMEOUT'])
  expect((await engine.run(known, inputs)).map(good)).toEqual([{ n: 1 }, { n: 2 }])
  expect(engine.status().processes).toHaveLength(1)
  const first = engine.run(unknown, [{ bytes: '00' }])
  expect(engine.status().processes).toHaveLength(2)
  expect((await first).map(good)).toEqual([{ n: 0 }])
  const second = engine.run(unknown, [{ bytes: '00' }])
  expect(engine.status().processes.map(({ outstandingInputs }) => outstandingInputs)).toEqual([1, 0])
  expect((await second).map(good)).toEqual([{ n: 0 }])
})

it('scripts of an account that have not answered yet run a few at a time', async () => {
  await using test = await startTestEngine(1)
  const { engine } = test
  const runs = [...Array(LIMITS.unprovenCalls + 3)].map(() => engine.run(endless(7), [{ bytes: '00' }]))
  const other = engine.run(echo(8), inputs)
  const [live] = engine.status().processes
  expect(live?.outstandingInputs).toBe(LIMITS.unprovenCalls + inputs.length)
  expect((await other).map(good)).toEqual([{ n: 1 }, { n: 2 }])
  for (const run of runs) expect((await run).map(outcome)).toEqual(['SCRIPT_TIMEOUT'])
})

it('a script that delayed live traffic runs apart from it when its account is long forgiven', async () => {
  await using test = await startTestEngine(1)
  const { engine } = test
  const [known, script] = [echo(7), isEndlessFor01(7)]
  await engine.run(known, inputs)
  await engine.run(script, [{ bytes: '00' }])
  for (let round = 0; round <= LIMITS.stallsPerOwner; round++)
    expect((await engine.run(script, [{ bytes: '01' }])).map(outcome)).toEqual(['SCRIPT_TIMEOUT'])
  const now = performance.now.bind(performance)
  const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + LIMITS.culpritMs / 2)
  onTestFinished(() => later.mockRestore())
  const good7 = engine.run(known, inputs)
  expect(engine.status().processes).toHaveLength(1)
  const stalling = engine.run(script, [{ bytes: '01' }])
  expect(engine.status().processes).toHaveLength(2)
  expect((await good7).map(good)).toEqual([{ n: 1 }, { n: 2 }])
  expect((await stalling).map(outcome)).toEqual(['SCRIPT_TIMEOUT'])
})

describe('a sandbox process', () => {
  it('may not read, write, start or dig', () => {
    const attempts = [
      "require('node:fs').readFileSync('/etc/passwd')",
      "require('node:fs').readFileSync(process.cwd() + '/package.json')",
      "require('node:fs').writeFileSync('/tmp/leitstand-out', '')",
      "require('node:fs').readdirSync('/')",
      "require('node:child_process').execSync('id')",
      "new (require('node:worker_threads').Worker)('1', { eval: true })",
      "require('node:inspector').open()",
      "require('node:sqlite')",
    ]
    const probe = `const said = []; for (const each of ${JSON.stringify(attempts)}) { try { eval(each); said.push('done') } catch (error) { said.push(error.code) } }; console.log(JSON.stringify(said))`
    const text = execFileSync(process.execPath, [...nodeFlags(), '-e', probe], { encoding: 'utf8', env: {} })
    const said = JSON.parse(text) as string[]
    expect(said.slice(0, 6)).toEqual(Array(6).fill('ERR_ACCESS_DENIED'))
  })

  it('holds nothing of the server: no environment, no descriptors, no rights', async () => {
    await using test = await startTestEngine(1)
    const [{ pid } = { pid: 0 }] = test.engine.status().processes
    expect((await test.engine.run(echo(1), inputs)).map(good)).toEqual([{ n: 1 }, { n: 2 }])
    if (process.platform !== 'linux') return
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
    expect(environment.filter((each) => !/^(TZ=UTC|PATH=|PWD=\/)$/.test(each))).toEqual([])
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    expect(status).toMatch(/^CapEff:\s*0+$/m)
    if (!test.logged.join().includes('bubblewrap')) return
    expect(status).toMatch(/^NoNewPrivs:\s*1$/m)
    expect(status).toMatch(/^Seccomp:\s*2$/m)
    const seen = readdirSync(`/proc/${pid}/root`)
    expect(seen).not.toContain('home')
    expect(seen).not.toContain('proc')
  })

  it.each(isolations().map((each) => [each.name, each] as const))(
    '%s: works, or the next best way is taken',
    async (name, way) => {
      const logged: string[] = []
      const log = (details: object, message: string) => logged.push(`${message} ${JSON.stringify(details)}`)
      const [plain] = isolations('').slice(-1)
      if (plain === undefined) throw new Error('there is always a way')
      await using engine = await createScriptEngine(
        { workers: 1, log: { info: log, warn: log, error: log } },
        [way, plain],
      )
      expect((await engine.run(echo(1), inputs)).map(good)).toEqual([{ n: 1 }, { n: 2 }])
      expect(logged.join()).toContain(name)
    },
  )
})

describe('accounts with processes of their own', () => {
  const domains = new Map([
    [1, 1],
    [11, 1],
    [2, 2],
  ])
  const domainOf = async (account: number) => domains.get(account) ?? account

  it('an account and those below it share them, others do not', async () => {
    await using test = await startTestEngine(2, { domainOf })
    const { engine } = test
    const pids = () => engine.status().processes.map(({ pid }) => pid)
    const counts = [pids().length]
    for (const account of [1, 11, 2]) {
      expect((await engine.run(echo(account), inputs)).map(good)).toEqual([{ n: 1 }, { n: 2 }])
      counts.push(pids().length)
    }
    expect(counts).toEqual([1, 2, 2, 3])
  })

  it('are bounded: an account without one takes the place of the one that needs it least', async () => {
    await using test = await startTestEngine(1, { domainOf })
    const accounts = Array.from({ length: LIMITS.accountPools + 3 }, (_, n) => 100 + n)
    for (const account of accounts)
      expect((await test.engine.run(echo(account), inputs)).map(outcome)).toEqual(['ok', 'ok'])
    expect(test.engine.status().processes.length).toBeLessThanOrEqual(LIMITS.accountPools + 1)
  }, 300_000)
})

describe('an account that takes processes down', () => {
  it('with ever-new scripts is stopped; what ran well before goes on, and others never notice', async () => {
    const hits: string[] = []
    await using test = await startTestEngine(1, {
      onLimit: (account, limit) => hits.push(`${account} ${limit}`),
    })
    const { engine } = test
    const old = echo(1)
    expect((await engine.run(old, inputs)).map(outcome)).toEqual(['ok', 'ok'])
    const codes: string[] = []
    for (let i = 0; i < LIMITS.deathsPerOwner + 1; i++)
      codes.push(...(await engine.run(bomb(1), inputs.slice(1))).map(outcome))
    expect(codes[0]).toBe('SCRIPT_CRASHED')
    expect(codes.at(-1)).toBe('SCRIPT_QUARANTINED')
    expect(engine.isTroubled(1)).toBe(true)
    expect(engine.isTroubled(2)).toBe(false)
    expect((await engine.run(old, inputs)).map(outcome)).toEqual(['ok', 'ok'])
    const fresh = driver('module.exports = () => 1', { group: 'account:1' })
    expect((await engine.run(fresh, inputs)).map(outcome)).toEqual(Array(2).fill('SCRIPT_QUARANTINED'))
    expect((await engine.run(echo(2), inputs)).map(outcome)).toEqual(['ok', 'ok'])
    expect(hits).toContain('1 scriptCrashes')
  }, 300_000)

  it('by trying them takes down none of live traffic', async () => {
    await using test = await startTestEngine(1)
    const { engine } = test
    const [live] = engine.status().processes
    expect((await engine.run(bomb(1), inputs.slice(1), { apart: true })).map(outcome)).toEqual([
      'SCRIPT_CRASHED',
    ])
    const check = await engine.check({ kind: 'driver', source: 'module.exports = "x".repeat(5e8).split("")' })
    expect(check).toMatchObject({ ok: false, error: { code: 'SCRIPT_CRASHED' } })
    expect(engine.status().processes[0]?.pid).toBe(live?.pid)
    expect(engine.status().restarts).toBeGreaterThan(0)
  }, 300_000)
})
