import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { driver, good, outcome, startTestEngine, type TestEngine } from './testing.ts'
import type { ScriptEngine, ScriptInput, ScriptSource } from './types.ts'

let test: TestEngine
let engine: ScriptEngine
beforeAll(async () => {
  test = await startTestEngine(1)
  engine = test.engine
})
afterAll(() => test[Symbol.asyncDispose]())

const one = async (script: ScriptSource, input: ScriptInput) => (await engine.run(script, [input]))[0]
const decode = async (source: string, input: ScriptInput) => good(await one(driver(source), input))

describe('calling conventions, scripts unchanged', () => {
  const uplink: ScriptInput = { bytes: '01FFa0', fPort: 7, time: '2026-03-29T01:30:00.000Z' }

  it('module.exports = function (payload, meta): hexadecimal text and lower-case fport', async () => {
    const source = `module.exports = function (payload, meta) {
      var buf = Buffer.from(payload, 'hex')
      return { first: buf.readInt16BE(0), port: meta.lora.fport, time: meta.time, own: meta.own }
    }`
    const value = await decode(source, { ...uplink, meta: { own: 1 } })
    expect(value).toEqual({ first: 511, port: 7, time: '2026-03-29T01:30:00.000Z', own: 1 })
  })

  it('module.exports = function: a JSON value arrives as it is, also as text', async () => {
    const source = 'module.exports = function (payload) { return { sum: _.sum(payload.list) } }'
    expect(await decode(source, { payload: { list: [1, 2, 3] } })).toEqual({ sum: 6 })
    expect(await decode(source, { json: '{"list":[4,5]}' })).toEqual({ sum: 9 })
  })

  it('decodeUplink as a declaration, on exports and on module.exports', async () => {
    const body = '(input) { return { data: { sum: input.bytes[1] + input.bytes[2], port: input.fPort } } }'
    const expected = { sum: 0xff + 0xa0, port: 7 }
    expect(await decode(`function decodeUplink${body}`, uplink)).toEqual(expected)
    expect(await decode(`exports.decodeUplink = function ${body}`, uplink)).toEqual(expected)
    expect(await decode(`module.exports = { decodeUplink: function ${body} }`, uplink)).toEqual(expected)
    expect(await decode(`const decodeUplink = ${body.replace(') {', ') => {')}`, uplink)).toEqual(expected)
  })

  it('decodeUplink: errors fail the packet, warnings come along', async () => {
    const source = `function decodeUplink(input) {
      if (input.fPort !== 1) return { errors: ['unknown port ' + input.fPort, 'second'] }
      return { data: { ok: true }, warnings: ['low battery'] }
    }`
    const results = await engine.run(driver(source), [uplink, { ...uplink, fPort: 1 }])
    expect(results[0]).toMatchObject({ ok: false, error: { message: 'unknown port 7; second' } })
    expect(results[1]).toMatchObject({ ok: true, value: { ok: true }, warnings: ['low battery'] })
  })

  it('decodeUplink: recvTime as Date or as text, as the dialect asks', async () => {
    const source = `function decodeUplink(input) {
      return { data: { kind: typeof input.recvTime, hour: new Date(input.recvTime).getHours() } }
    }`
    expect(good(await one(driver(source), uplink))).toEqual({ kind: 'object', hour: 1 })
    const iso = driver(source, { options: { recvTime: 'iso' } })
    expect(good(await one(iso, uplink))).toEqual({ kind: 'string', hour: 1 })
  })

  it('Decoder(bytes, port) and Decode(fPort, bytes, variables)', async () => {
    expect(await decode('function Decoder(b, p) { return { b: b.length, p: p } }', uplink)).toEqual({
      b: 3,
      p: 7,
    })
    const value = await decode('function Decode(p, b, v) { return { b: b[0], p: p, v: v.site } }', {
      ...uplink,
      variables: { site: 'Nord' },
    })
    expect(value).toEqual({ b: 1, p: 7, v: 'Nord' })
  })

  it('encodeDownlink answers with an array, text or a Buffer; Encoder and Encode too', async () => {
    const encode = async (source: string) =>
      (await engine.encode(driver(source), [{ data: { on: true, level: 3 }, fPort: 9 }]))[0]
    const expected = { ok: true, value: { fPort: 5, bytes: '0103' } }
    const spell = (bytes: string) => `function encodeDownlink(i) { return { fPort: 5, bytes: ${bytes} } }`
    expect(await encode(spell('[+i.data.on, i.data.level]'))).toMatchObject(expected)
    expect(await encode(spell('"0103"'))).toMatchObject(expected)
    expect(await encode(spell('Buffer.from([1, i.data.level])'))).toMatchObject(expected)
    const own = { ok: true, value: { fPort: 9, bytes: '03' } }
    expect(await encode('function Encoder(data, port) { return [data.level] }')).toMatchObject(own)
    expect(await encode('function Encode(port, data) { return [data.level] }')).toMatchObject(own)
    expect(outcome(await encode('function decodeUplink() {}'))).toBe('SCRIPT_NO_FUNCTION')
    expect(outcome(await encode(spell('[300]')))).toBe('SCRIPT_OUTPUT_INVALID')
    expect(outcome(await encode(spell('undefined')))).toBe('SCRIPT_OUTPUT_INVALID')
  })

  it('sloppy mode: undeclared variables, octal text, with; bytes are a fresh plain array', async () => {
    const source = `function decodeUplink(input) {
      total = 0
      for (i = 0; i < input.bytes.length; i++) total += input.bytes[i]
      with (input) { bytes.push(1) }
      return { data: { total: total, plain: Array.isArray(input.bytes), rest: input.bytes.splice(0, 2), o: 010 } }
    }`
    const results = await engine.run(driver(source), [uplink, uplink])
    const expected = { total: 416, plain: true, rest: [1, 255], o: 8 }
    expect(results.map(good)).toEqual([expected, expected])
  })

  it('there is no require, no timer, no process; the time zone is UTC', async () => {
    const source = `module.exports = function () {
      return { r: typeof require, p: typeof process, t: typeof setTimeout, f: typeof fetch, s: typeof SharedArrayBuffer,
        w: typeof WebAssembly, h: typeof $harness, zone: new Date(2026, 6, 1).getTimezoneOffset() }
    }`
    const none = 'undefined'
    const value = await decode(source, { payload: 1 })
    expect(value).toEqual({ r: none, p: none, t: none, f: none, s: none, w: none, h: none, zone: 0 })
  })
})

describe('templates, transformers, filters, conditions', () => {
  it('a template answers one packet, several, or none', async () => {
    const template: ScriptSource = {
      id: 't',
      kind: 'template',
      source: `module.exports = function (payload, meta) {
        if (payload.skip) return
        return payload.list.map(function (x) { return { identifier: meta.topic, data: x } })
      }`,
    }
    const meta = { topic: 'a/b' }
    const results = await engine.run(template, [
      { json: '{"list":[1,2]}', meta },
      { json: '{"skip":true}', meta },
      { json: '{broken', meta },
    ])
    const packet = (data: number) => ({ identifier: 'a/b', data })
    expect(good(results[0])).toEqual([packet(1), packet(2)])
    expect(results[1]).toMatchObject({ ok: true, value: undefined })
    expect(results[2]).toMatchObject({ ok: false, error: { code: 'SCRIPT_ERROR' } })
  })

  it('a template that is a driver is refused with what it needs', async () => {
    const result = await one(
      { id: 't', kind: 'template', source: 'function decodeUplink() {}' },
      { payload: 1 },
    )
    expect(result).toMatchObject({ ok: false, error: { code: 'SCRIPT_NO_FUNCTION' } })
  })

  it('a transformer answers the new value, undefined drops it, aggregates see all values', async () => {
    const transformer = (source: string): ScriptSource => ({ id: source, kind: 'transformer', source })
    expect(good(await one(transformer('return value * 2'), { value: 4 }))).toBe(8)
    expect(good(await one(transformer('if (value > 5) return value'), { value: 4 }))).toBeUndefined()
    const sum = transformer('let sum = 0; values.forEach(v => { sum += v.value }); return sum + meta.offset')
    const inputs = { value: 0, values: [{ value: 1 }, { value: 2 }], meta: { offset: 10 } }
    expect((await engine.run(sum, [inputs, inputs])).map(good)).toEqual([13, 13])
  })

  it('a condition sees one variable per alias and answers true or false', async () => {
    const condition: ScriptSource = {
      id: 'c',
      kind: 'condition',
      parameters: ['level', 'not an identifier', 'class'],
      source: 'return level > 5 && variables["not an identifier"] && variables["class"] < metrics.limit',
    }
    const variables = { level: 6, 'not an identifier': true, class: 1 }
    const results = await engine.run(condition, [
      { variables, metrics: { limit: 2 } },
      { variables, metrics: { limit: 1 } },
      { variables: { level: 1 } },
      {},
    ])
    expect(results.map(good)).toEqual([true, false, false, false])
  })
})

describe('answers', () => {
  const answer = async (expression: string) =>
    good(await one(driver(`module.exports = () => (${expression})`), {}))

  it('what JSON does not know becomes something defined', async () => {
    expect(await answer('{ a: undefined, b: NaN, c: Infinity, d: -0, e: () => 1, f: Symbol() }')).toEqual({
      b: null,
      c: null,
      d: 0,
    })
    expect(await answer('[undefined, () => 1, NaN]')).toEqual([null, null, null])
    expect(await answer('{ d: new Date(0), bad: new Date("x") }')).toEqual({
      d: '1970-01-01T00:00:00.000Z',
      bad: null,
    })
    expect(
      await answer('[Buffer.from("ab"), new Uint8Array([1, 255]), new Uint8Array([16]).buffer]'),
    ).toEqual(['6162', '01ff', '10'])
    expect(await answer('[new Float32Array([0.5]), new Int16Array([-1, 2])]')).toEqual([[0.5], [-1, 2]])
    expect(await answer('[10n, 2n ** 60n]')).toEqual([10, '1152921504606846976'])
    expect(await answer('[new Map([["a", 1]]), new Set([1, 2]), new Number(3), new String("s")]')).toEqual([
      { a: 1 },
      [1, 2],
      3,
      's',
    ])
    expect(await answer('[new Error("broken"), Object.create({ inherited: 1 }), null]')).toEqual([
      'broken',
      {},
      null,
    ])
    expect(await answer('{ toJSON() { return 1 }, a: 2 }')).toEqual({ a: 2 })
  })

  it('a key that could reach a prototype is left out', async () => {
    const value = await answer('JSON.parse(\'{"__proto__": {"admin": true}, "a": 1}\')')
    expect(Object.keys(value as object)).toEqual(['a'])
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  it.each([
    ['a long text', '"x".repeat(70000)', 'SCRIPT_OUTPUT_TOO_LARGE'],
    ['many small things', 'Array.from({ length: 20000 }, (_, i) => i)', 'SCRIPT_OUTPUT_TOO_LARGE'],
    ['a sparse array', 'new Array(4e9)', 'SCRIPT_OUTPUT_TOO_LARGE'],
    ['bytes', 'new Uint8Array(40000)', 'SCRIPT_OUTPUT_TOO_LARGE'],
    [
      'a deep nest',
      '(() => { let a = 1; for (let i = 0; i < 30; i++) a = [a]; return a })()',
      'SCRIPT_OUTPUT_INVALID',
    ],
    ['a cycle', '(() => { const a = {}; a.a = a; return a })()', 'SCRIPT_OUTPUT_INVALID'],
    ['a promise', 'Promise.resolve(1)', 'SCRIPT_OUTPUT_INVALID'],
    ['a huge integer', '2n ** 100000n', 'SCRIPT_OUTPUT_INVALID'],
  ])('%s is refused', async (_title, expression, code) => {
    expect(outcome(await one(driver(`module.exports = () => (${expression})`), {}))).toBe(code)
  })
})

describe('errors and console', () => {
  it('a failing input does not affect the others, and says where it failed', async () => {
    const source =
      'module.exports = function (p) {\n  if (p === "02") throw new TypeError("two")\n  return { p: p }\n}'
    const results = await engine.run(
      driver(source),
      ['01', '02', '03'].map((bytes) => ({ bytes })),
    )
    expect(results[1]).toMatchObject({ ok: false, error: { message: 'TypeError: two', line: 2, column: 25 } })
    expect([results[0], results[2]].map(good)).toEqual([{ p: '01' }, { p: '03' }])
  })

  it('a syntax error has its line and column, also on the first line', async () => {
    const first = await one(driver('var a = ;'), {})
    expect(first).toMatchObject({ ok: false, error: { code: 'SCRIPT_SYNTAX', line: 1, column: 9 } })
    const third = await one(driver('var a\nvar b\nvar c = }'), {})
    expect(third).toMatchObject({ ok: false, error: { code: 'SCRIPT_SYNTAX', line: 3, column: 9 } })
  })

  it('console lines are kept for who asks, within bounds', async () => {
    const script = driver('module.exports = function (p) { console.log("got", p, { a: 1 }); return 1 }')
    const shown = await engine.run(script, [{ bytes: '01' }, { bytes: '02' }], { console: true })
    expect(shown.map((result) => result.console)).toEqual([['got 01 {"a":1}'], ['got 02 {"a":1}']])
    const [quiet] = await engine.run(script, [{ bytes: '01' }])
    expect(quiet).not.toHaveProperty('console')
    const noisy = driver(
      'module.exports = () => { for (let i = 0; i < 1e4; i++) console.log("x".repeat(1e4)) }',
    )
    const [bounded] = await engine.run(noisy, [{}], { console: true })
    expect(bounded?.console).toHaveLength(101)
    expect(bounded?.console?.[0]).toHaveLength(501)
  })

  it('inputs that cannot be sent are answered, the others run', async () => {
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    const script = driver('module.exports = function (p) { return { length: p.length } }')
    const results = await engine.run(script, [
      { payload: cycle },
      { payload: 'x'.repeat(2 ** 20) },
      { payload: 'abc' },
    ])
    expect(results.map(outcome)).toEqual(['SCRIPT_INPUT_INVALID', 'SCRIPT_INPUT_INVALID', 'ok'])
  })

  it('answers thousands of inputs in their order', async () => {
    const script = driver('module.exports = function (p) { return { n: p * 2 } }')
    const results = await engine.run(
      script,
      Array.from({ length: 5000 }, (_, n) => ({ payload: n })),
    )
    expect(results.map(good)).toEqual(Array.from({ length: 5000 }, (_, n) => ({ n: n * 2 })))
  })

  it('a script that is too long is refused', async () => {
    expect(outcome(await one(driver(`// ${'x'.repeat(600_000)}`), {}))).toBe('SCRIPT_SYNTAX')
  })
})

describe('state between calls', () => {
  const twice = async (source: string) => {
    const inputs = Array.from({ length: 40 }, () => ({ bytes: '01', fPort: 1 }))
    const values = (await engine.run(driver(source), inputs)).map(good)
    return new Set(values.map((value) => JSON.stringify(value)))
  }

  it.each([
    ['a counter', 'let n = 0; module.exports = () => ({ n: ++n })'],
    [
      'an undeclared counter',
      'module.exports = () => { n = (typeof n === "number" ? n : 0) + 1; return { n } }',
    ],
    ['an array', 'const seen = []; module.exports = (p) => { seen.push(p); return { n: seen.length } }'],
    ['an object', 'var o = { n: 0 }; function Decoder() { o.n += 1; return { n: o.n } }'],
    [
      'something passed along',
      'const o = { n: 0 }; const up = (x) => { x.n++ }; module.exports = () => { up(o); return { n: o.n } }',
    ],
    [
      'a closure',
      'const next = (() => { let n = 0; return () => ++n })(); module.exports = () => ({ n: next() })',
    ],
    [
      'a property of the function',
      'module.exports = function f() { f.n = (f.n || 0) + 1; return { n: f.n } }',
    ],
    [
      'a global',
      'module.exports = () => { globalThis.n = (globalThis.n || 0) + 1; return { n: globalThis.n } }',
    ],
    [
      'a prototype',
      'module.exports = () => { Object.prototype.n = (Object.prototype.n || 0) + 1; return { n: ({}).n } }',
    ],
    [
      'a seldom prototype',
      'module.exports = () => { Map.prototype.n = (Map.prototype.n || 0) + 1; return { n: Map.prototype.n } }',
    ],
    [
      'a replaced method',
      'module.exports = () => { const f = [].map; Array.prototype.map = () => 7; return { n: f === [].map, m: f === Array.prototype.map, r: f.call([1], () => 1) } }',
    ],
  ])('%s starts anew for every call', async (_title, source) => {
    expect((await twice(source)).size).toBe(1)
  })

  it('a helper that a script adds to a prototype once is kept', async () => {
    const source =
      'String.prototype.half = function () { return this.length / 2 }; module.exports = (p) => ({ n: p.half() })'
    expect([...(await twice(source))]).toEqual(['{"n":1}'])
  })

  it('scripts of one account do not see each other', async () => {
    const group = 'shared account'
    const spoil = driver('Object.prototype.spoilt = 1; leak = 2; module.exports = () => ({})', { group })
    const look = driver('module.exports = () => ({ a: typeof ({}).spoilt, b: typeof leak })', { group })
    await engine.run(spoil, [{}])
    expect(good(await one(look, {}))).toEqual({ a: 'undefined', b: 'undefined' })
  })
})

describe('check', () => {
  it('recognises family, encoder, purity and hints', async () => {
    const source = 'var n = 0\nfunction decodeUplink(i) { n++; setTimeout(1) }\nfunction encodeDownlink() {}'
    expect(await engine.check({ kind: 'driver', source })).toEqual({
      ok: true,
      family: 'decodeUplink',
      encodes: true,
      purity: 'module',
      writes: ['n'],
      hints: ['USES_TIMERS'],
    })
    expect(
      await engine.check({ kind: 'condition', source: 'level > 5', parameters: ['level'] }),
    ).toMatchObject({
      ok: true,
      family: 'body',
      purity: 'pure',
      hints: ['NO_RETURN'],
    })
  })

  it('says what is wrong and where', async () => {
    expect(await engine.check({ kind: 'driver', source: 'var a\nfunction (' })).toMatchObject({
      ok: false,
      error: { code: 'SCRIPT_SYNTAX', line: 2 },
    })
    expect(await engine.check({ kind: 'template', source: 'var a' })).toMatchObject({
      ok: false,
      error: { code: 'SCRIPT_NO_FUNCTION' },
    })
    expect(await engine.check({ kind: 'driver', source: '\nrequire("fs")' })).toMatchObject({
      ok: false,
      error: { code: 'SCRIPT_ERROR', message: 'ReferenceError: require is not defined', line: 2 },
    })
    expect(await engine.check({ kind: 'driver', source: 'while (true);' })).toMatchObject({
      ok: false,
      error: { code: 'SCRIPT_TIMEOUT' },
    })
  })
})
