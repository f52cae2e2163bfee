/** Hostile code by the family of attack it belongs to, for `hostile.families.test.ts`. */

/** `outcomes` absent: any outcome that a script can have. */
export type Attack = readonly [title: string, code: string, outcomes?: readonly string[]]

/** How a script ends that needs too much, depending on which limit a busy machine reaches first. */
export const TOO_MUCH = ['SCRIPT_MEMORY', 'SCRIPT_TIMEOUT', 'SCRIPT_CRASHED'] as const

/** Everything a script must not reach: if found it is thrown, so that the test sees it. */
const LEAK = `const leaks = (x) => { if ((typeof x !== 'object' && typeof x !== 'function') || x === null || x === globalThis) return; for (const k of ['recognised','isProbe','writeAnswer','keepLines','instantiate','create','isBody','refuse','fingerprint','applySync','derefInto']) if (k in x) throw new Error('LEAK ' + k); }; const outside = (f) => { let r; try { r = f('return typeof process + typeof require + typeof ivm')() } catch (e) { return }; if (typeof r === 'string' && r !== 'undefinedundefinedundefined') throw new Error('LEAK ' + r) };`
const frames = (make: string) =>
  `${LEAK} Error.stackTraceLimit = 100; Error.prepareStackTrace = (e, fs) => { for (const f of fs) { leaks(f.getThis()); const fn = f.getFunction(); leaks(fn); if (typeof fn === 'function' && !String(fn).includes('native code') && !/hostile|module|prepare|LEAK/.test(String(fn)) && String(fn).length > 4000) throw new Error('LEAK function') } return fs }; ${make}; return { p: p }`

const stack: Attack[] = [
  ['frames of an error', frames('new Error().stack')],
  ['frames of a thrown error', frames('try { null.x } catch (e) { e.stack }')],
  ['frames from captureStackTrace', frames('const o = {}; Error.captureStackTrace(o); o.stack')],
  [
    'frames from a getter while the answer is written',
    `${frames('')}`.replace('return { p: p }', 'return { p: p, get k() { new Error().stack; return 0 } }'),
    ['ok'],
  ],
  [
    'frames from toString of a map key',
    frames('').replace(
      'return { p: p }',
      'return new Map([[{ toString() { new Error().stack; return "a" } }, 1]])',
    ),
  ],
  [
    'frames from a proxy trap',
    frames('').replace(
      'return { p: p }',
      'return new Proxy({}, { ownKeys() { new Error().stack; return [] } })',
    ),
  ],
  [
    'frames while an error is described',
    frames('').replace('return { p: p }', 'throw { get message() { new Error().stack; return "m" } }'),
    ['SCRIPT_ERROR'],
  ],
  ['frames from console.log', frames('console.log({ get a() { new Error().stack; return 1 } })')],
  ['frames of a stack overflow', frames('const f = () => f(); try { f() } catch (e) { e.stack }')],
  [
    'frames of a native callback',
    frames('[1].map(() => new Error().stack); new Map([[1, 2]]).forEach(() => new Error().stack)'),
  ],
  ['frames of a sort', frames('[2, 1].sort(() => { new Error().stack; return 0 })')],
  ['frames of a promise', frames('Promise.resolve().then(() => new Error().stack)')],
  ['frames of an async function', frames('(async () => { await 0; new Error().stack })()')],
  ['frames of a generator', frames('[...(function* () { new Error().stack; yield 1 })()]')],
  [
    'frames of a buffer that is made',
    frames('try { new ArrayBuffer({ valueOf() { new Error().stack; return 8 } }) } catch (e) { e.stack }'),
  ],
  [
    'frames of a buffer by its subclass',
    frames(
      'try { Reflect.construct(ArrayBuffer, [8], new Proxy(function () {}, { get() { new Error().stack } })) } catch (e) { e.stack }',
    ),
  ],
  [
    'frames of a buffer that fails',
    `Error.prepareStackTrace = (e, fs) => fs.map((f) => f.getFunction()); let s = []; try { new ArrayBuffer(-1) } catch (e) { s = e.stack }; for (const f of s) if (typeof f === 'function' && /ArrayBuffer/.test(f.name)) { new f(8, { maxByteLength: 16 }); throw new Error('LEAK') }; return { p: p }`,
    ['ok'],
  ],
  [
    'the caller of a function',
    `${LEAK} function f() { leaks(f.caller); return f.caller && f.caller.caller }; let c = f(); for (let i = 0; c && i < 20; i++) { leaks(c); c = c.caller }; return { p: p }`,
  ],
  [
    'the arguments of the caller',
    `${LEAK} function f() { return f.arguments.callee.caller }; const c = f(); if (c && c.arguments) for (const x of c.arguments) leaks(x); return { p: p }`,
  ],
  [
    'arguments.callee',
    `${LEAK} let c = arguments.callee; for (let i = 0; c && i < 20; i++) { leaks(c); c = c.caller }; return { p: p }`,
  ],
  [
    'the receiver',
    `${LEAK} leaks(this); if (this !== globalThis) throw new Error('LEAK this'); return { p: p }`,
    ['ok'],
  ],
  ['the receiver of a getter', `${LEAK} return { get a() { leaks(this); return 1 }, p: p }`, ['ok']],
  [
    'a stack that is a getter',
    'const e = new Error("m"); Object.defineProperty(e, "stack", { get() { for (;;); } }); throw e',
    ['SCRIPT_TIMEOUT'],
  ],
  ['a stack of 100 MB', 'const e = new Error("m"); e.stack = "x".repeat(1e8); throw e'],
]

const realm: Attack[] = [
  ...[
    '({})',
    '[]',
    '(() => 1)',
    '/a/',
    '1',
    '"s"',
    'true',
    'Symbol()',
    '1n',
    'new Date',
    'new Map',
    'Promise.resolve()',
    'p',
    'm',
    'module',
    'console',
    'console.log',
    '_',
    'Buffer.from("a")',
    'arguments',
    'new Error',
    'new Proxy(function(){}, {})',
    'eval',
    'JSON',
    'Math',
    'Intl',
    'Reflect',
    'globalThis',
    'ArrayBuffer',
    '(function* () {})()',
    '(async function* () {})()',
    'new WeakRef({})',
    '[][Symbol.iterator]()',
  ].map(
    (value): Attack => [
      `the constructor's constructor of ${value}`,
      `${LEAK} let x = ${value}; for (let i = 0; i < 5 && x !== undefined && x !== null; i++) { if (typeof x === 'function') outside((c) => x.constructor(c)); x = x.constructor }; return { p: p }`,
    ],
  ),
  [
    'constructors through __lookupGetter__',
    `${LEAK} const g = ({}).__lookupGetter__('__proto__'); outside((c) => g.constructor(c)); leaks(g.call(g)); return { p: p }`,
    ['ok'],
  ],
  [
    'setters defined on the root',
    `let seen = 0; ({}).__defineSetter__.call(Object.prototype, 'code', function (v) { seen++; if (this.message) throw new Error('LEAK') }); try { null.x } catch (e) {}; return { p: p }`,
  ],
  ['an import', 'return import("node:fs").then((fs) => ({ fs }))'],
  [
    'an import while the answer is written',
    'return { get a() { import("node:child_process"); return 1 }, p: p }',
  ],
  [
    'an indirect eval',
    `${LEAK} outside((c) => (0, eval)('(function () {' + c + '})')); return { p: p }`,
    ['ok'],
  ],
  [
    'Function with parameters that close it',
    `${LEAK} outside((c) => Function('a) { ' + c + ' } , function (b', '')); return { p: p }`,
  ],
  [
    'lodash templates',
    `${LEAK} outside((c) => () => _.template('<% ' + c.replace('return ', 'print(') + ') %>')()); return { p: p }`,
  ],
  [
    'lodash pollution',
    `_.merge({}, JSON.parse('{"constructor":{"prototype":{"admin":1}}}')); _.set({}, '__proto__.admin', 1); return { p: p }`,
  ],
  [
    'the variable of a template',
    `return { t: _.template('a', { variable: 'a){}; for(;;); function x(' })() }`,
  ],
]

const poisoned = (what: string, then = 'return { p: p, l: [1, { a: "b" }] }') => `${LEAK} ${what}; ${then}`
const intrinsics: Attack[] = [
  ...['0', '1', '2', '3', '10'].map(
    (index): Attack => [
      `a setter on index ${index} of every list`,
      poisoned(
        `Object.defineProperty(Array.prototype, '${index}', { configurable: true, set(v) { leaks(this); leaks(v); this.length = 1e6 }, get() { leaks(this); for (;;); } })`,
        'console.log(1, 2); return { p: new Set([1, 2]), w: [1, 2] }',
      ),
    ],
  ),
  ...[
    'v',
    'u',
    'c',
    'e',
    's',
    'w',
    'l',
    'code',
    'message',
    'family',
    'decode',
    'encode',
    'purity',
    'value',
    'get',
    'set',
    'construct',
    'apply',
    'has',
    'ownKeys',
    'then',
    'toJSON',
    'bytes',
    'json',
    'time',
    'meta',
    'payload',
    'outputChars',
    'length',
  ].map(
    (name): Attack => [
      `an accessor ${name} on the root of objects`,
      poisoned(
        `Object.defineProperty(Object.prototype, '${name}', { configurable: true, get() { leaks(this); return undefined }, set(v) { leaks(this); leaks(v) } })`,
        'new ArrayBuffer(8); return { p: p }',
      ),
    ],
  ),
  [
    'toJSON of everything',
    poisoned(
      'Object.prototype.toJSON = Array.prototype.toJSON = String.prototype.toJSON = Number.prototype.toJSON = function () { leaks(this); for (;;); }',
      'console.log("a"); return { p: p, l: [1] }',
    ),
    ['ok'],
  ],
  [
    'species of lists',
    poisoned(
      'Object.defineProperty(Array, Symbol.species, { value: function () { return new Proxy([], { defineProperty() { for (;;); } }) } })',
    ),
    ['ok'],
  ],
  ['spreadable everything', poisoned('Object.prototype[Symbol.isConcatSpreadable] = true'), ['ok']],
  [
    'iterators of lists',
    poisoned('Array.prototype[Symbol.iterator] = function () { leaks(this); for (;;); }'),
    ['ok'],
  ],
  [
    'the next of iterators',
    poisoned('Object.getPrototypeOf([][Symbol.iterator]()).next = function () { leaks(this); for (;;); }'),
    ['ok'],
  ],
  [
    'hasInstance of built-ins',
    poisoned(
      'for (const C of [Date, Map, Set, Error, Promise, Number, String, Boolean, Uint8Array]) Object.defineProperty(C, Symbol.hasInstance, { value(x) { leaks(x); leaks(this); return true } })',
      'return { a: new (class {})() }',
    ),
  ],
  [
    'text of everything',
    poisoned('Object.prototype[Symbol.toPrimitive] = function () { leaks(this); for (;;); }'),
  ],
  [
    'methods of texts',
    poisoned(
      'for (const k of Object.getOwnPropertyNames(String.prototype)) if (typeof String.prototype[k] === "function" && k !== "constructor") String.prototype[k] = function () { leaks(this); return { length: -1 } }',
      'throw new Error("x".padEnd ? "y" : "z")',
    ),
  ],
  [
    'methods of lists',
    poisoned(
      'for (const k of Object.getOwnPropertyNames(Array.prototype)) if (typeof Array.prototype[k] === "function" && k !== "constructor") Array.prototype[k] = function () { leaks(this); for (;;); }',
    ),
    ['ok'],
  ],
  [
    'methods of functions',
    poisoned(
      'Function.prototype.call = Function.prototype.apply = Function.prototype.bind = function () { leaks(this); for (;;); }',
    ),
    ['ok'],
  ],
  [
    'the exec of regular expressions',
    poisoned('RegExp.prototype.exec = RegExp.prototype.test = function () { leaks(this); for (;;); }'),
    ['ok'],
  ],
  [
    'the methods of weak sets and maps',
    poisoned(
      'WeakSet.prototype.has = WeakSet.prototype.add = Map.prototype.forEach = Set.prototype.forEach = Map.prototype.get = function () { leaks(this); return true }',
      'return { m: new Map([["a", 1]]), s: new Set([1]) }',
    ),
  ],
  [
    'everything of Reflect and Object',
    poisoned(
      'for (const o of [Reflect, Object, JSON, Math, Number]) for (const k of Object.getOwnPropertyNames(o)) { try { if (typeof o[k] === "function") o[k] = function () { for (;;); } } catch {} }',
      'return { p: p }',
    ),
  ],
  [
    'the global names themselves',
    poisoned(
      'Array = Object = JSON = Number = String = BigInt = Date = Reflect = Error = Promise = Map = Set = Uint8Array = ArrayBuffer = undefined',
      'return { p: p, b: 1n, n: [1.5] }',
    ),
    ['ok'],
  ],
  [
    'the length of typed lists',
    poisoned(
      'for (const k of ["length", "buffer", "byteLength", "byteOffset", Symbol.toStringTag]) Object.defineProperty(Object.getPrototypeOf(Uint8Array.prototype), k, { get() { for (;;); } })',
      'const b = new Uint8Array([1, 2]); return b',
    ),
    ['ok'],
  ],
  [
    'no prototype of lists',
    poisoned(
      'Object.setPrototypeOf(Array.prototype, new Proxy({}, { get(t, k, r) { leaks(r); return undefined }, set(t, k, v, r) { leaks(r); return true } }))',
    ),
  ],
  [
    'a prototype of the root',
    poisoned('try { Object.setPrototypeOf(Object.prototype, new Proxy({}, {})) } catch {}'),
  ],
  ['the clock', poisoned('Date.now = Date = () => { throw 1 }; Math.min = () => 1e9'), ['ok']],
  [
    'the species of buffers',
    poisoned(
      'Object.defineProperty(ArrayBuffer, Symbol.species, { get() { return function () { return new ArrayBuffer(8, { maxByteLength: 4e9 }) } } })',
      'const b = new ArrayBuffer(8).slice(0, 4); if (b.resizable) throw new Error("LEAK grows"); return { p: p }',
    ),
  ],
  [
    'traps on the root of objects',
    poisoned(
      'Object.prototype.get = Object.prototype.construct = function (real) { const b = Reflect.construct(real, [8, { maxByteLength: 4e9 }]); if (b.resizable) throw new Error("LEAK grows") }',
      'new ArrayBuffer(8); ArrayBuffer.isView; return { p: p }',
    ),
  ],
]

const values: Attack[] = [
  ['wide', 'return Array(2e4).fill(0)', ['SCRIPT_OUTPUT_TOO_LARGE', 'ok']],
  ['a million empty lists', 'return Array(1e6).fill([])', ['SCRIPT_OUTPUT_TOO_LARGE', ...TOO_MUCH]],
  [
    'deep records',
    'let a = {}; for (let i = 0; i < 6e4; i++) a = { a }; return a',
    ['SCRIPT_OUTPUT_INVALID', ...TOO_MUCH],
  ],
  ['control characters that grow when written', 'return "\\u0000".repeat(3e4)', ['SCRIPT_OUTPUT_TOO_LARGE']],
  ['halves of surrogate pairs', 'return { a: "\\ud800", "\\udfff": "\\udfff\\ud800" }', ['ok']],
  [
    'keys that are prototypes',
    'return JSON.parse(\'{"__proto__":1,"constructor":{"prototype":{"admin":1}},"toString":1}\')',
    ['ok'],
  ],
  ['a key of 60 000 characters', 'return { ["k".repeat(6e4)]: 1 }', ['ok']],
  ['numbers that are none', 'return [NaN, Infinity, -Infinity, -0, 1e308 * 10, 5e-324]', ['ok']],
  ['integers without end', 'return [2n ** 255n, -(2n ** 255n), 2n ** 256n]', ['SCRIPT_OUTPUT_INVALID']],
  [
    'a rope that is flattened',
    'let s = "x"; for (let i = 0; i < 25; i++) s += s; return { s }',
    ['SCRIPT_OUTPUT_TOO_LARGE', ...TOO_MUCH],
  ],
  [
    'a list that grows while it is read',
    'const a = [0]; Object.defineProperty(a, 0, { get() { a.push(1); return 1 }, enumerable: true }); return a',
    ['ok'],
  ],
  [
    'a length that changes',
    'let n = 0; return new Proxy([], { get(t, k) { return k === "length" ? ++n * 1e9 : 1 } })',
    ['SCRIPT_OUTPUT_TOO_LARGE'],
  ],
  [
    'a length that is an object',
    'return new Proxy([], { get(t, k) { return k === "length" ? { valueOf() { for (;;); } } : 1 } })',
    ['SCRIPT_TIMEOUT'],
  ],
  [
    'a getter that throws what was refused before',
    'let r; return { get a() { try { console.log({ a: "x".repeat(1e5) }) } catch (e) { r = e }; throw r }, p: p }',
    ['SCRIPT_ERROR'],
  ],
  ['a detached buffer', 'const b = new Uint8Array(8); b.buffer.transfer && b.buffer.transfer(); return b'],
  [
    'what only pretends to be a buffer',
    'const o = Object.create(ArrayBuffer.prototype); o.length = 1e9; return o',
    ['SCRIPT_ERROR'],
  ],
  [
    'what only pretends to be a typed list',
    'return Object.create(Uint8Array.prototype, { length: { value: 1e9 } })',
    ['ok', 'SCRIPT_ERROR'],
  ],
  ['what only pretends to be a date', 'return Object.create(Date.prototype)', ['SCRIPT_ERROR']],
  ['a revoked proxy', 'const r = Proxy.revocable({}, {}); r.revoke(); return r.proxy', ['SCRIPT_ERROR']],
  [
    'a thrown revoked proxy',
    'const r = Proxy.revocable({}, {}); r.revoke(); throw r.proxy',
    ['SCRIPT_ERROR'],
  ],
  ['raw JSON', 'return JSON.rawJSON ? JSON.rawJSON(\'"\' + "x".repeat(1e5) + \'"\') : 1'],
  [
    'a promise of another maker',
    'const P = class extends Promise {}; return P.resolve(1)',
    ['SCRIPT_OUTPUT_INVALID'],
  ],
  [
    'warnings without end',
    'return { get data() { return 1 }, warnings: new Proxy([], { get(t, k) { return k === "length" ? 1e9 : "w" } }) }',
    ['ok', 'SCRIPT_ERROR', 'SCRIPT_OUTPUT_TOO_LARGE', 'SCRIPT_OUTPUT_INVALID'],
  ],
  [
    'an iterator of helpers without end',
    'return [...Iterator.from({ next: () => ({ value: 1, done: false }) }).map((x) => x)]',
  ],
  [
    'suppressed errors',
    'throw typeof SuppressedError === "function" ? new SuppressedError(new Proxy({}, {}), 1, "m") : new Error("m")',
    ['SCRIPT_ERROR'],
  ],
  [
    'an error of errors',
    'throw new AggregateError([new Proxy({}, { get() { for (;;); } })], "many")',
    ['SCRIPT_ERROR'],
  ],
  ['a cause that never ends', 'const e = new Error("m"); e.cause = e; throw e', ['SCRIPT_ERROR']],
  [
    'getters that log',
    'return { get a() { for (let i = 0; i < 1e3; i++) console.log("x".repeat(1e4)); return 1 }, p: p }',
    ['ok'],
  ],
]

const resources: Attack[] = [
  ['regular expression: nested groups', '/(x+x+)+y/.test("x".repeat(40))', ['SCRIPT_TIMEOUT', 'ok']],
  ['regular expression: alternatives', '/^(a|a)*$/.test("a".repeat(40) + "b")', ['SCRIPT_TIMEOUT']],
  ['regular expression: back references', '/(a*)*\\1b/.test("a".repeat(40))'],
  ['regular expression: a thousand groups', 'new RegExp("(".repeat(3e4) + ")".repeat(3e4)).test("a")'],
  ['regular expression: repeats', 'new RegExp("(?:a{1000}){1000}").test("a".repeat(1e6))'],
  [
    'regular expression: replace without end',
    '"a".repeat(1e6).replace(/a/g, () => { for (;;); })',
    ['SCRIPT_TIMEOUT'],
  ],
  ['a comparator that never ends', '[3, 2, 1].sort(() => { for (;;); })', ['SCRIPT_TIMEOUT']],
  [
    'locales: comparing',
    'const a = Array.from({ length: 1e5 }, (_, i) => "ä" + i); a.sort((x, y) => x.localeCompare(y, "de"))',
  ],
  ['locales: formats', 'const a = []; for (;;) a.push(new Intl.DateTimeFormat("de", { dateStyle: "full" }))'],
  ['locales: normal forms', 'let s = "\\ufdfa".repeat(1e6); for (;;) s = s.normalize("NFKD")'],
  ['locales: upper case', 'let s = "ß".repeat(1e6); for (;;) s = s.toUpperCase()'],
  [
    'texts outside of the heap',
    'const a = []; for (;;) a.push("x".repeat(1e6 + a.length).split("").join("y"))',
  ],
  ['texts that are padded', 'const a = []; for (;;) a.push("x".padEnd(5e8, "ab" + a.length))'],
  ['URIs', 'let s = "ä".repeat(1e6); for (;;) s = encodeURIComponent(s)'],
  ['dates', 'for (;;) new Date("2026-01-01").toLocaleString("ar-EG")', TOO_MUCH],
  ['weak references', 'const a = []; for (;;) a.push(new WeakRef(new Array(1e3)))'],
  [
    'finalisers',
    'const r = new FinalizationRegistry(() => { for (;;); }); for (let i = 0; i < 1e4; i++) r.register(new Array(100), i); return { p: p }',
  ],
  ['microtasks in a ring', 'const f = () => { Promise.resolve().then(f) }; f(); return { p: p }'],
  [
    'microtasks that are many',
    'for (let i = 0; i < 1e6; i++) Promise.resolve().then(() => {}); return { p: p }',
  ],
  ['a thenable in a ring', 'const t = { then(f) { f(t) } }; Promise.resolve(t); return { p: p }'],
  [
    'an async generator without end',
    '(async () => { for await (const x of (async function* () { for (;;) yield 1 })()); })(); return { p: p }',
  ],
  [
    'a list from an async source',
    'Array.fromAsync && Array.fromAsync((function* () { for (;;) yield 1 })()); return { p: p }',
  ],
  [
    'a buffer that is transferred again and again',
    'let b = new ArrayBuffer(1e6); for (;;) b = b.transfer(b.byteLength + 1e6)',
  ],
  ['an integer of a million digits', 'return (10n ** 1000000n).toString().length'],
  ['an integer that shifts', 'let b = 1n; for (;;) b = b << 1000000n'],
  ['a proxy of proxies', 'let x = {}; for (let i = 0; i < 1e5; i++) x = new Proxy(x, {}); return x.a'],
  ['prototypes in a chain', 'let x = {}; for (let i = 0; i < 1e5; i++) x = Object.create(x); for (;;) x.a'],
  [
    'a function of a million parameters',
    'return Function.apply(null, Array.from({ length: 1e5 }, (_, i) => "a" + i).concat("return 1"))()',
  ],
  ['source that is compiled without end', 'for (let i = 0; ; i++) new Function("return " + i)'],
  [
    'an object with many hidden classes',
    'for (;;) { const o = {}; for (let i = 0; i < 1e3; i++) o["k" + Math.random()] = i }',
    TOO_MUCH,
  ],
  ['symbols without end', 'for (let i = 0; ; i++) Symbol.for("s" + i)'],
  ['a tagged template', 'const t = (s) => s; for (let i = 0; ; i++) eval("t`" + i + "`")'],
  ['with and unscopables', 'with (new Proxy({}, { has() { for (;;); } })) { a }', ['SCRIPT_TIMEOUT']],
  ['a copy of a huge list', 'const a = Array(1e6).fill({}); for (;;) a.concat(a).slice()'],
  [
    'a date that is compared',
    'return { a: { [Symbol.toPrimitive]() { for (;;); } } + "" }',
    ['SCRIPT_TIMEOUT'],
  ],
]

export const FAMILIES: Readonly<Record<string, readonly Attack[]>> = {
  'stack frames and callers': stack,
  'constructors and realms': realm,
  'poisoned built-ins': intrinsics,
  'values that are answered': values,
  'time and memory': resources,
}
