import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TOO_MUCH } from './hostileFamilies.ts'
import { driver, good, outcome, startTestEngine, type TestEngine } from './testing.ts'
import { LIMITS, type ScriptEngine } from './types.ts'

// Every attack is one of three inputs of one script: the other two must get correct results, and so must
// another account's script afterwards.
const ATTACKS: readonly (readonly [title: string, code: string, outcomes: readonly string[]])[] = [
  ['an endless loop', 'while (true);', ['SCRIPT_TIMEOUT']],
  [
    'an endless loop that catches everything',
    'for (;;) try { for (;;); } finally { continue }',
    ['SCRIPT_TIMEOUT'],
  ],
  ['endless recursion', '(function f() { return f() + 1 })()', ['SCRIPT_ERROR']],
  [
    'recursion that never gives up',
    '(function f() { try { f() } finally { f() } })()',
    ['SCRIPT_TIMEOUT', 'SCRIPT_ERROR'],
  ],
  ['a catastrophic regular expression', '/^(a+)+$/.test("a".repeat(60) + "b")', ['SCRIPT_TIMEOUT']],
  ['a text that doubles', 'let s = "x"; for (;;) s += s', ['SCRIPT_ERROR', ...TOO_MUCH]],
  ['many texts', 'const a = []; for (;;) a.push("abc".repeat(1e5) + a.length)', TOO_MUCH],
  ['many numbers', 'const a = []; for (;;) a.push(new Array(1e6).fill(1.5))', TOO_MUCH],
  ['many buffers', 'const a = []; for (;;) a.push(new Uint8Array(1e6))', TOO_MUCH],
  ['a buffer of 3 GB', 'return new Uint8Array(3e9)', TOO_MUCH],
  ['an answer of 100 MB', 'return "x".repeat(1e8)', ['SCRIPT_OUTPUT_TOO_LARGE', ...TOO_MUCH]],
  [
    'an answer of a hundred thousand keys',
    'const o = {}; for (let i = 0; i < 1e5; i++) o["k" + i] = i; return o',
    ['SCRIPT_OUTPUT_TOO_LARGE', ...TOO_MUCH],
  ],
  ['a getter that throws', 'return { get a() { throw new Error("got me") } }', ['SCRIPT_ERROR']],
  ['a getter that never ends', 'return { get a() { for (;;); } }', ['SCRIPT_TIMEOUT']],
  ['a toJSON that never ends is not asked', 'return { toJSON() { for (;;); }, p: p }', ['ok']],
  ['a proxy that throws', 'return new Proxy({}, { ownKeys() { throw 1 } })', ['SCRIPT_ERROR']],
  ['a proxy that never ends', 'return new Proxy({}, { ownKeys() { for (;;); } })', ['SCRIPT_TIMEOUT']],
  [
    'a proxy of endless depth',
    'return new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get(t, k, self) { return self } })',
    ['SCRIPT_OUTPUT_INVALID'],
  ],
  [
    'a proxy of a prototype',
    'return Object.create(new Proxy({}, { getPrototypeOf() { for (;;); } }))',
    ['SCRIPT_TIMEOUT'],
  ],
  ['a thrown number', 'throw 42', ['SCRIPT_ERROR']],
  ['a thrown nothing', 'throw undefined', ['SCRIPT_ERROR']],
  ['a thrown symbol', 'throw Symbol("s")', ['SCRIPT_ERROR']],
  [
    'a thrown object with a hostile message',
    'throw { get message() { throw new Error("again") } }',
    ['SCRIPT_ERROR'],
  ],
  ['a thrown object whose message never ends', 'throw { get message() { for (;;); } }', ['SCRIPT_TIMEOUT']],
  ['a thrown proxy', 'throw new Proxy({}, { get() { throw 1 }, has() { throw 2 } })', ['SCRIPT_ERROR']],
  ['an error with a message of 100 MB', 'throw new Error("x".repeat(1e8))', ['SCRIPT_ERROR', ...TOO_MUCH]],
  [
    'an error with a prepared stack',
    'Error.prepareStackTrace = () => { for (;;); }; throw new Error("e")',
    ['SCRIPT_TIMEOUT', 'SCRIPT_ERROR'],
  ],
  [
    'the constructor of the global object',
    'return this.constructor.constructor("return process")()',
    ['SCRIPT_ERROR'],
  ],
  [
    'the constructor of an argument',
    'return m.constructor.constructor("return process.env")()',
    ['SCRIPT_ERROR'],
  ],
  [
    'the callers of the function',
    'return arguments.callee.caller.constructor("return process")()',
    ['SCRIPT_ERROR'],
  ],
  ['a polluted prototype', 'Object.prototype.admin = true; Array.prototype.push = null; return {}', ['ok']],
  [
    'a polluted prototype with setters',
    'Object.defineProperty(Object.prototype, "0", { set(v) { throw 1 } }); return [1]',
    ['ok', 'SCRIPT_ERROR'],
  ],
  [
    'replaced built-ins',
    'JSON.stringify = JSON.parse = Object.keys = Array.isArray = Reflect.apply = () => { throw 1 }; return { p: p }',
    ['ok'],
  ],
  [
    'a replaced string prototype',
    'String.prototype.slice = String.prototype.charCodeAt = () => { for (;;); }; return { p: p }',
    ['ok', 'SCRIPT_TIMEOUT'],
  ],
  [
    'an endless chain of promises',
    '(function f() { return Promise.resolve().then(f) })(); return {}',
    ['ok', 'SCRIPT_TIMEOUT', 'SCRIPT_CRASHED'],
  ],
  ['an iterator that never ends', 'return [...(function* () { for (;;) yield 1 })()]', TOO_MUCH],
  [
    'a sort that never ends',
    'const a = Array.from({ length: 1e6 }, (_, i) => i); a.sort(() => Math.random() - 0.5)',
    TOO_MUCH,
  ],
  ['a valueOf that never ends is not asked', 'return { valueOf() { for (;;); }, p: p }', ['ok']],
  [
    'a number in a box with its own valueOf',
    'const n = new Number(1); n.valueOf = n[Symbol.toPrimitive] = () => { for (;;); }; return { n, p: p }',
    ['ok'],
  ],
  [
    'symbols as keys',
    'return { [Symbol("s")]: 1, [Symbol.iterator]() { for (;;); }, get [Symbol.toStringTag]() { for (;;); }, p: p }',
    ['ok'],
  ],
  ['a promise that never resolves', 'return new Promise(() => {})', ['SCRIPT_OUTPUT_INVALID']],
  ['a promise inside of the answer', 'return { a: new Promise(() => {}), p: p }', ['ok']],
  ['a then that never ends is not asked', 'return { then() { for (;;); }, p: p }', ['ok']],
  ['an async loop', 'return (async () => { for (;;); })()', ['SCRIPT_TIMEOUT']],
  ['an async loop that waits', '(async () => { for (;;) await 1 })(); return {}', ['ok', 'SCRIPT_TIMEOUT']],
  [
    'an array of 4 billion holes',
    'const a = []; a.length = 4294967295; return a',
    ['SCRIPT_OUTPUT_TOO_LARGE', ...TOO_MUCH],
  ],
  [
    'a nest of 100 000 arrays',
    'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a',
    ['SCRIPT_OUTPUT_INVALID', ...TOO_MUCH],
  ],
  ['an answer that contains itself', 'const a = {}; a.a = a; return a', ['SCRIPT_OUTPUT_INVALID']],
  [
    'a map that grows while it is read',
    'const m = new Map(); let i = 0; const v = { get a() { m.set(i++, v); return 1 } }; m.set("a", v); return m',
    ['SCRIPT_OUTPUT_TOO_LARGE', ...TOO_MUCH],
  ],
  [
    'a typed array with its own length',
    'const t = new Uint8Array(8); Object.defineProperty(t, "length", { get() { for (;;); } }); return { p: p }',
    ['ok'],
  ],
  [
    'a lock nobody opens',
    'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
    ['SCRIPT_ERROR', 'SCRIPT_TIMEOUT', 'SCRIPT_CRASHED'],
  ],
  [
    'an endless loop in WebAssembly',
    `const code = [0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,9,1,7,0,3,64,12,0,11,11]
    new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(code))).exports.f()`,
    ['SCRIPT_TIMEOUT', 'SCRIPT_ERROR', 'SCRIPT_CRASHED'],
  ],
  [
    'memory of WebAssembly',
    'const m = new WebAssembly.Memory({ initial: 4096 }); new Uint8Array(m.buffer).fill(1); return { mb: m.buffer.byteLength / 1e6 }',
    ['SCRIPT_ERROR', ...TOO_MUCH],
  ],
  [
    'a buffer that may grow to 4 GB',
    'const own = ArrayBuffer; for (const make of [own, new own(1).constructor, class extends own {}, new Uint8Array(1).buffer.slice(0).constructor]) { const b = new make(8, { maxByteLength: 4e9 }); if (b.resizable || b.byteLength !== 8) throw new Error("it grows"); if (!(b instanceof ArrayBuffer)) throw 1 }; return { p: new Uint8Array(new ArrayBuffer(2)).fill(p).length && p }',
    ['ok'],
  ],
  [
    'a shared buffer of 1 GB',
    'new Uint8Array(new SharedArrayBuffer(1e9)).fill(1); return {}',
    ['SCRIPT_ERROR', ...TOO_MUCH],
  ],
  [
    'endless recursion with an endless stack trace',
    'Error.stackTraceLimit = Infinity; (function f() { return f() + 1 })()',
    ['SCRIPT_ERROR', ...TOO_MUCH],
  ],
  [
    'the functions on the stack',
    'Error.prepareStackTrace = (e, frames) => frames.map((f) => [f.getThis(), f.getFunction()]); const s = new Error().stack; return s.map((f) => f.map((x) => x && x.constructor.constructor("return process")()))',
    ['SCRIPT_ERROR', 'SCRIPT_TIMEOUT'],
  ],
  [
    'the constructors of every kind of function',
    'for (const f of [async () => {}, function* () {}, async function* () {}]) { const made = f.constructor("return typeof process + typeof require")(); if (made.next) { const { value } = made.next(); if (value && !value.then && value !== "undefinedundefined") throw new Error(value) } } return { p: p }',
    ['ok'],
  ],
  ['an import', 'return import("node:fs")', ['SCRIPT_OUTPUT_INVALID', 'SCRIPT_ERROR', 'SCRIPT_SYNTAX']],
  [
    'what the sandbox keeps',
    'const kept = Reflect.ownKeys(globalThis).filter((name) => /^[$]|ivm|process|require|fetch|Worker|Wasm|Shared|Atomics/.test(String(name))); if (kept.length > 0) throw new Error(kept); return { p: p }',
    ['ok'],
  ],
  [
    'a prototype polluted through JSON',
    'const o = JSON.parse(`{"__proto__":{"admin":true}}`); Object.assign({}, o); return { ...o, p: p }',
    ['ok'],
  ],
  [
    'source that breaks out of its wrapper',
    'return eval("1})(); (function () { while (true); })(function () {")',
    ['SCRIPT_ERROR'],
  ],
]

/** These crash the whole process, because V8 cannot stop them in time. */
const CRASHES: readonly (readonly [title: string, code: string])[] = [
  ['arrays without end', 'const a = []; for (;;) a.push(new Array(1000).fill(1))'],
  ['an array of 100 million', 'return new Array(1e8).fill(0)'],
  ['a text of 500 million, split', 'return "x".repeat(5e8).split("")'],
  ['an integer that squares itself', 'let b = 2n; for (;;) b = b * b'],
]

let test: TestEngine
let engine: ScriptEngine
beforeAll(async () => {
  test = await startTestEngine(1)
  engine = test.engine
})
afterAll(() => test[Symbol.asyncDispose]())

const healthy = driver('module.exports = function (p) { return { n: parseInt(p, 16), l: _.sum([1, 2]) } }')

async function attack(code: string): Promise<string> {
  const script = driver(
    `module.exports = function (p, m) { if (p === 'ff') { ${code} }; return { p: p, k: Object.keys(m).length } }`,
  )
  const results = await engine.run(
    script,
    ['01', 'ff', '02'].map((bytes) => ({ bytes })),
  )
  expect([results[0], results[2]].map(good)).toEqual([
    { p: '01', k: 0 },
    { p: '02', k: 0 },
  ])
  const other = await engine.run(healthy, [{ bytes: '10' }, { bytes: '11' }])
  expect(other.map(good)).toEqual([
    { n: 16, l: 3 },
    { n: 17, l: 3 },
  ])
  expect(({} as { admin?: unknown }).admin).toBeUndefined()
  return outcome(results[1])
}

describe('hostile scripts harm nobody but themselves', () => {
  it.each(ATTACKS)('%s', async (_title, code, outcomes) => {
    expect(outcomes).toContain(await attack(code))
  })

  it.each(CRASHES)(
    '%s',
    async (_title, code) => {
      expect(TOO_MUCH).toContain(await attack(code))
    },
    300_000,
  )

  it('built-ins replaced long after the first message spoil none of those behind it', async () => {
    const script = driver(
      "module.exports = function (p) { if (p === 'ff') Object.keys = () => { throw 1 }; return { k: Object.keys({ p }) } }",
    )
    const before = Array.from({ length: LIMITS.inputsPerSlice + 1 }, () => ({ bytes: '01' }))
    const results = await engine.run(script, [...before, { bytes: 'ff' }, { bytes: '02' }])
    expect(outcome(results.at(-2))).toBe('SCRIPT_ERROR')
    expect(good(results.at(-1))).toEqual({ k: ['p'] })
  })

  it('source that closes its wrapper stays inside its context', async () => {
    const script = driver('}).call(this) }); globalThis.broken = 1; (function () { return (function () {')
    expect(['SCRIPT_NO_FUNCTION', 'SCRIPT_SYNTAX', 'SCRIPT_ERROR']).toContain(
      outcome((await engine.run(script, [{}]))[0]),
    )
    expect((await engine.run(healthy, [{ bytes: '01' }])).map(good)).toEqual([{ n: 1, l: 3 }])
  })

  it('a script that always runs out of time gives up after a few', async () => {
    const script = driver('module.exports = function () { while (true); }')
    const results = await engine.run(
      script,
      Array.from({ length: 200 }, () => ({ bytes: '00' })),
    )
    expect(new Set(results.map(outcome))).toEqual(new Set(['SCRIPT_TIMEOUT']))
    expect(results.filter((result) => result.durationUs > 0)).toHaveLength(LIMITS.timeoutsPerCall)
  }, 300_000)

  it('while one account loops, another gets its turn', async () => {
    const loops = driver('module.exports = function () { while (true); }')
    const order: string[] = []
    const slow = engine
      .run(
        loops,
        Array.from({ length: 50 }, () => ({ bytes: '00' })),
      )
      .then(() => order.push('slow'))
    const quick = engine.run(healthy, [{ bytes: '01' }]).then(() => order.push('quick'))
    await Promise.all([slow, quick])
    expect(order).toEqual(['quick', 'slow'])
  }, 300_000)

  it('memory returns: the process does not grow with what scripts throw away', async () => {
    const greedy = driver('module.exports = function (p) { return { n: new Array(1e5).fill(p).length } }')
    const inputs = Array.from({ length: 100 }, () => ({ bytes: '00' }))
    const round = async () => {
      for (let i = 0; i < 5; i++) {
        const results = await engine.run(greedy, inputs)
        expect(results.map(outcome).filter((code) => code !== 'ok')).toEqual([])
      }
      return residentMb(engine.status().processes[0]?.pid)
    }
    const before = await round()
    for (let i = 0; i < 5; i++) await round()
    // 30 rounds discard 2.4 GB; one isolate may keep its limit.
    expect((await round()) - before).toBeLessThan(2 * LIMITS.memoryMb)
  }, 300_000)

  it('memory returns: contexts are given up with their scripts', async () => {
    const before = residentMb(engine.status().processes[0]?.pid)
    for (let i = 0; i < LIMITS.isolates * 4; i++) {
      const script = driver(
        `const table = new Array(1e5).fill(${i}); module.exports = () => ({ n: table.length })`,
      )
      expect((await engine.run(script, [{}])).map(good)).toEqual([{ n: 1e5 }])
    }
    const perIsolate = (residentMb(engine.status().processes[0]?.pid) - before) / LIMITS.isolates
    expect(perIsolate).toBeLessThan(LIMITS.memoryMb / 2)
  }, 300_000)
})

/** Resident memory of a process, from the operating system. */
function residentMb(pid: number | undefined): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024
}
