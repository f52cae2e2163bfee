import { describe, expect, it } from 'vitest'
import { analyse, isIdentifier } from './analyse.ts'

const writes = (source: string) => analyse(source)?.writes

describe('analyse', () => {
  it.each([
    ['nothing', 'function f(b) { var i = 0; i++; for (let j of b) j = 1; return i }', []],
    ['set-up at the top', 'var table = {}; table.a = 1; for (var i = 0; i < 3; i++) table[i] = i', []],
    ['an outer variable', 'let n = 0; function f() { n = 1 }', ['n']],
    ['an outer counter in an arrow', 'var n = 0; const f = () => n++', ['n']],
    ['a field of an outer object', 'const o = {}; function f() { o.a.b = 1 }', ['o']],
    ['a deleted field', 'const o = {}; function f() { delete o.a }', ['o']],
    ['a mutating method', 'const seen = []; function f(x) { seen.push(x) }', ['seen']],
    ['destructuring', 'let a, b; function f(x) { [a, { c: b }] = x }', ['a', 'b']],
    ['a loop variable', 'var k; function f(o) { for (k in o); }', ['k']],
    ['an undeclared variable', 'function f() { for (i = 0; i < 3; i++); }', ['i']],
    ['a shadowed name', 'var n; function f(n) { n = 1; { let n = 2; n++ } }', []],
    ['a var inside a block', 'if (true) { var n = 0 } function f() { n++ }', ['n']],
    ['a hoisted inner var', 'var n; function f() { n = 1; if (n) { var n } }', []],
    ['a catch parameter', 'var e; function f() { try { } catch (e) { e = 1 } }', []],
    ['its exports', 'module.exports = function () {}; exports.f = function () { exports.g = 1 }', []],
    ['a property that is called like a variable', 'var n; function f(o) { o.n = 1; return { n: 2 } }', []],
  ])('%s', (_title, source, expected) => {
    expect(writes(source)).toEqual(expected)
  })

  it('sees returns and async of the outermost level', () => {
    expect(analyse('if (a) return 1')?.returns).toBe(true)
    expect(analyse('f(() => { return 1 })')?.returns).toBe(false)
    expect(analyse('const f = async () => 1')?.async).toBe(true)
  })

  it('gives up on what it cannot read', () => {
    expect(analyse('var = 1')).toBeUndefined()
    expect(analyse(`${'['.repeat(200_000)}`)).toBeUndefined()
  })

  it('knows what can be a parameter', () => {
    const names = ['level', 'Füllstand', '$x', '_1', '1a', 'a b', 'class', 'meta', '']
    expect(names.map(isIdentifier)).toEqual([true, true, true, true, false, false, false, false, false])
  })
})
