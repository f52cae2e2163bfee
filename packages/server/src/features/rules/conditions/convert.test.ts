import { compileFunction } from 'node:vm'
import type { JsonValue } from '@leitstand/contract/common'
import type { Condition, Operand } from '@leitstand/contract/rules'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../../platform/errors.ts'
import { isIdentifier } from '../../../platform/scripts/index.ts'
import { convertConditions, toScript, toTree } from './convert.ts'
import { evaluate } from './evaluate.ts'

const warm: Condition = { op: 'gt', left: { metric: 'temperature' }, right: { value: 30 } }

/** The reason why conditions are not converted, and where. */
function refusal(convert: () => unknown): unknown {
  try {
    convert()
  } catch (error) {
    if (error instanceof AppError && error.code === 'DDR_CONDITIONS_NOT_CONVERTIBLE') return error.data
    throw error
  }
  return 'converted'
}

/** What a script answers, run as the sandbox does. */
function run(script: string, inputs: Readonly<Record<string, JsonValue>>): boolean {
  const names = Object.keys(inputs).filter(isIdentifier)
  const body = compileFunction(script, ['metrics', ...names])
  return !!body(inputs, ...names.map((name) => inputs[name]))
}

describe('a tree as a script', () => {
  it('is one expression, and the helpers that it needs', () => {
    const tree: Condition = {
      op: 'and',
      conditions: [
        warm,
        { op: 'not', condition: { op: 'eq', left: { metric: 'mode' }, right: { value: 'off' } } },
      ],
    }
    const script = toScript(tree)
    expect(script.split('\n')[0]).toBe('return and(gt(temperature, 30), not(eq(mode, "off")))')
    expect(script).toContain('function gt(a, b)')
    expect(script).not.toContain('function lt(a, b)')
  })

  it('is written on several lines when it is long', () => {
    const script = toScript({ op: 'or', conditions: Array(6).fill(warm) })
    expect(script).toMatch(/^return or\(\n {2}gt\(temperature, 30\),\n/)
  })

  it.each<[string, Condition]>([
    ['for', { op: 'for', minutes: 5, condition: warm }],
    ['times', { op: 'not', condition: { op: 'times', count: 1, of: 2, condition: warm } }],
    ['hysteresis', { op: 'hysteresis', input: { metric: 'a' }, direction: 'above', limit: 3, release: 2 }],
  ])('does not exist of %s, which looks back', (op, tree) => {
    expect(refusal(() => toScript(tree))).toEqual({ reason: 'looksBack', op })
  })

  it('has a limit', () => {
    const long: Condition = { op: 'eq', left: { metric: 'a' }, right: { value: 'x'.repeat(1_000) } }
    const tree: Condition = { op: 'and', conditions: Array(120).fill(long) }
    expect(refusal(() => toScript(tree))).toMatchObject({ reason: 'tooLong' })
  })
})

const helpers = toScript(warm).split('\n').slice(1).join('\n')

describe('a script as a tree', () => {
  it('may be written in other ways', () => {
    const script = `// warm\nreturn  gt( metrics["temperature"],\n 30 ) // °C\n;${helpers}`
    expect(toTree(script)).toEqual(warm)
  })

  it.each([
    ['return temperature > 30', 'otherForm', 1, 8],
    ['return gt(temperature, 30)', 'otherForm', 1, 1],
    [`return gt(temperature, 30)\nlet x = 1\n${helpers}`, 'otherForm', 2, 1],
    [`return gt(temperature + 1, 30)\n${helpers}`, 'otherForm', 1, 11],
    [`return gt(temperature, 30, 31)\n${helpers}`, 'otherForm', 1, 8],
    [`return gt(...temperature)\n${helpers}`, 'otherForm', 1, 11],
    [`return gt(metrics.temperature, 30)\n${helpers}`, 'otherForm', 1, 11],
    [`return gt(metrics[1], 30)\n${helpers}`, 'otherForm', 1, 11],
    [`return gt(undefined, /x/)\n${helpers}`, 'otherForm', 1, 22],
    [`return gt(-"a", 30)\n${helpers}`, 'otherForm', 1, 11],
    [`return gt(gt, 30)\n${helpers}`, 'otherForm', 1, 11],
    [
      `return and()\nfunction and(...all) {\n  return all.includes(false) ? false : all.includes(null) ? null : true\n}`,
      'otherForm',
      1,
      8,
    ],
    [`return gt(temperature, 30)${helpers.replace('x > y', 'x >= y')}`, 'otherForm', 3, 1],
    ['return', 'otherForm', 1, 1],
    ['', 'otherForm', 1, 1],
    ['return (', 'syntax', 1, 9],
  ])('%j is refused: %s', (script, reason, line, column) => {
    expect(refusal(() => toTree(script))).toMatchObject({ reason, line, column })
  })

  it.each([200, 10_000])('that is nested %d times is refused', (depth) => {
    const script = `return ${'not('.repeat(depth)}gt(temperature, 30)${')'.repeat(depth)}\n${helpers}`
    // The parser may give up first.
    expect(refusal(() => toTree(script))).toMatchObject({
      reason: expect.stringMatching(/^(otherForm|syntax)$/),
      line: 1,
    })
  })

  it('has a limit', () => {
    expect(refusal(() => toTree(`return 1 // ${'x'.repeat(100_000)}`))).toMatchObject({ reason: 'tooLong' })
  })

  it('eq with null is not what a tree does with null', () => {
    const script = toScript({ op: 'eq', left: { metric: 'a' }, right: { value: 1 } })
    expect(refusal(() => toTree(script.replace('eq(a, 1)', 'eq(a, null)')))).toMatchObject({
      reason: 'otherForm',
    })
  })
})

const aliases = ['a', 'b', 'class', 'metrics', 'gt', 'constructor'] as const
const scalar = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constantFrom('', 'on', '1', 'a"b\\\n\u2028'),
  fc.constant(null),
)
const operand: fc.Arbitrary<Operand> = fc.oneof(
  fc.constantFrom(...aliases).map((metric) => ({ metric })),
  scalar.map((value) => ({ value })),
)
const { tree } = fc.letrec<{ tree: Condition }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ op: fc.constantFrom('eq', 'lt', 'gt', 'lte', 'gte'), left: operand, right: operand }),
    fc.record({
      op: fc.constantFrom('and', 'or'),
      conditions: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }),
    }),
    fc.record({ op: fc.constant('not'), condition: tie('tree') }),
    fc.record({ op: fc.constant('when'), condition: tie('tree'), implies: tie('tree') }),
  ) as fc.Arbitrary<Condition>,
}))
const inputs = fc.record(
  Object.fromEntries(aliases.map((alias) => [alias, fc.oneof(scalar, fc.constantFrom<JsonValue>([1], {}))])),
) as fc.Arbitrary<Record<string, JsonValue>>

const seed = 20_261_120

describe('converting', () => {
  it('there and back changes nothing', () => {
    fc.assert(
      fc.property(tree, (condition) => {
        expect(convertConditions(convertConditions(condition))).toEqual(condition)
      }),
      { seed, numRuns: 500 },
    )
  })

  it('a script is met whenever its tree is', () => {
    fc.assert(
      fc.property(tree, inputs, (condition, values) => {
        const occasion = { metrics: [], at: new Date(0), recheck: false, memory: {} }
        expect(run(toScript(condition), values)).toBe(evaluate(condition, values, occasion).branch.met)
      }),
      { seed, numRuns: 1_000 },
    )
  })
})
