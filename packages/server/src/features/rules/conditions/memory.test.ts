import type { Condition, Metric } from '@leitstand/contract/rules'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluate, type Memory, noMemory } from './evaluate.ts'
import { conditionKinds } from './index.ts'
import { memoryKey } from './memory.ts'
import type { Answer, Inputs } from './types.ts'

const minuteAt = (minute: number) => new Date(Date.UTC(2026, 10, 20) + minute * 60_000)

const above = (alias: string, limit: number): Condition => ({
  op: 'gt',
  left: { metric: alias },
  right: { value: limit },
})
const lasting = (minutes: number, condition: Condition): Condition => ({ op: 'for', minutes, condition })
const times = (count: number, of: number, condition: Condition): Condition => ({
  op: 'times',
  count,
  of,
  condition,
})
const between = (direction: 'above' | 'below', limit: number, release: number): Condition => ({
  op: 'hysteresis',
  input: { metric: 'a' },
  direction,
  limit,
  release,
})

/** Values of `a` by minute, each evaluated as it arrives. */
function results(condition: Condition, values: readonly [minute: number, value: number | null][]) {
  let memory: Memory = noMemory
  return values.map(([minute, a]) => {
    const occasion = { metrics: [], at: minuteAt(minute), recheck: false, memory }
    const found = evaluate(condition, { a }, occasion)
    memory = found.memory
    return found
  })
}

const metOf = (condition: Condition, values: readonly [number, number | null][]) =>
  results(condition, values).map(({ branch }) => branch.met)

describe('hysteresis', () => {
  it('is met above its limit and until the value is below the release', () => {
    const values = [29, 30, 31, 29, 28, 27.9, 29, 30.5].map((value, at): [number, number] => [at, value])
    expect(metOf(between('above', 30, 28), values)).toEqual([
      false,
      false,
      true,
      true,
      true,
      false,
      false,
      true,
    ])
  })

  it('works downwards, too', () => {
    const values = [6, 4, 6, 8, 8.1, 6].map((value, at): [number, number] => [at, value])
    expect(metOf(between('below', 5, 8), values)).toEqual([false, true, true, true, false, false])
  })

  it('is unknown without a value and stays as it was', () => {
    expect(
      metOf(between('above', 30, 28), [
        [0, 31],
        [1, null],
        [2, 29],
      ]),
    ).toEqual([true, false, true])
    const denied: Condition = { op: 'not', condition: between('above', 30, 28) }
    expect(metOf(denied, [[0, null]])).toEqual([false])
  })

  it('tells which limit applied, and since when it is met', () => {
    const found = results(between('above', 30, 28), [
      [0, 31],
      [1, 29],
      [2, 20],
    ])
    const shown = { op: 'hysteresis', direction: 'above' }
    expect(found.map(({ branch }) => branch)).toEqual([
      { ...shown, held: false, met: true, left: 31, right: 30, since: minuteAt(0).toISOString() },
      { ...shown, held: true, met: true, left: 29, right: 28, since: minuteAt(0).toISOString() },
      { ...shown, held: true, met: false, left: 20, right: 28 },
    ])
  })

  it.each([
    ['above', 30, 30, 0],
    ['above', 30, 30.1, 1],
    ['below', 5, 5, 0],
    ['below', 5, 4.9, 1],
  ] as const)('%s %d, released at %d: %d problems', (direction, limit, release, problems) => {
    const condition = between(direction, limit, release) as Extract<Condition, { op: 'hysteresis' }>
    expect(conditionKinds.hysteresis.check?.(condition)).toHaveLength(problems)
  })
})

describe('for', () => {
  it('is met once its condition has been met for the time, and says when to look again', () => {
    const found = results(lasting(10, above('a', 30)), [
      [0, 31],
      [4, 32],
      [10, 31],
      [11, 20],
      [12, 31],
    ])
    expect(found.map(({ branch }) => branch.met)).toEqual([false, false, true, false, false])
    expect(found.map(({ dueAt }) => dueAt)).toEqual([minuteAt(10), minuteAt(10), null, null, minuteAt(22)])
    expect(found[1]?.branch).toEqual({
      op: 'for',
      met: false,
      minutes: 10,
      since: minuteAt(0).toISOString(),
      children: [{ op: 'gt', met: true, left: 32, right: 30 }],
    })
  })

  it('is interrupted by a missing value', () => {
    expect(
      metOf(lasting(10, above('a', 30)), [
        [0, 31],
        [5, null],
        [10, 31],
        [15, 31],
        [20, 31],
      ]),
    ).toEqual([false, false, false, false, true])
  })

  it('asks for the first of several times', () => {
    const both: Condition = {
      op: 'or',
      conditions: [lasting(10, above('a', 30)), lasting(5, above('a', 20))],
    }
    expect(results(both, [[0, 31]])[0]?.dueAt).toEqual(minuteAt(5))
  })
})

describe('times', () => {
  it('counts the last evaluations', () => {
    const values = [31, 20, 31, 20, 20, 31, 31].map((value, at): [number, number] => [at, value])
    const found = results(times(2, 3, above('a', 30)), values)
    expect(found.map(({ branch }) => branch.met)).toEqual([false, false, true, false, false, false, true])
    expect(found.at(-1)?.branch).toMatchObject({ op: 'times', count: 2, seen: 3, needed: 2, of: 3 })
    expect(found[0]?.branch).toMatchObject({ count: 1, seen: 1 })
  })

  it('is unknown when missing values could make the difference', () => {
    const denied: Condition = { op: 'not', condition: times(2, 3, above('a', 30)) }
    expect(
      metOf(denied, [
        [0, 20],
        [1, 31],
        [2, null],
        [3, 20],
        [4, 20],
      ]),
    ).toEqual([true, true, false, false, true])
  })

  it('does not count an evaluation without a new value', () => {
    const condition = times(2, 3, above('a', 30))
    const first = evaluate(condition, { a: 31 }, { metrics: [], at: minuteAt(0), recheck: false, memory: {} })
    const again = evaluate(
      condition,
      { a: 31 },
      { metrics: [], at: minuteAt(1), recheck: true, memory: first.memory },
    )
    expect(again.memory).toEqual(first.memory)
    expect(again.branch).toMatchObject({ met: false, count: 1 })
  })

  it.each([
    [3, 3, 0],
    [4, 3, 1],
  ])('%d of %d: %d problems', (count, of, problems) => {
    const condition = times(count, of, above('a', 30)) as Extract<Condition, { op: 'times' }>
    expect(conditionKinds.times.check?.(condition)).toHaveLength(problems)
  })
})

const metric = (stateId: number, more: Partial<Metric> = {}): Metric =>
  ({ alias: 'a', stateId, operation: 'latest', abortIfNull: true, ...more }) as Metric

describe('memoryKey', () => {
  const condition = lasting(10, above('a', 30))

  it('stays when only the duration changes, and wherever the condition is', () => {
    const key = memoryKey(condition, [metric(1)])
    expect(key).toMatch(/^for:/)
    expect(memoryKey(lasting(20, above('a', 30)), [metric(1)])).toBe(key)
  })

  it('is another one for another condition, state, operation or kind', () => {
    const others = [
      memoryKey(lasting(10, above('a', 31)), [metric(1)]),
      memoryKey(lasting(10, above('a', 30)), [metric(2)]),
      memoryKey(lasting(10, above('a', 30)), [metric(1, { operation: 'avg', lastMinutes: 5 })]),
      memoryKey(times(2, 3, above('a', 30)), [metric(1)]),
      memoryKey(times(2, 4, above('a', 30)), [metric(1)]),
      memoryKey(between('above', 30, 28), [metric(1)]),
      memoryKey(between('above', 30, 27), [metric(1)]),
    ]
    expect(new Set([memoryKey(condition, [metric(1)]), ...others]).size).toBe(others.length + 1)
  })

  it('ignores metrics that the condition does not use', () => {
    const other = { ...metric(9), alias: 'b' }
    expect(memoryKey(lasting(10, above('a', 30)), [metric(1), other])).toBe(memoryKey(condition, [metric(1)]))
  })

  it('is null for what remembers nothing', () => {
    expect(memoryKey(above('a', 30), [metric(1)])).toBeNull()
  })

  it('keeps what still fits after a change, and drops the rest', () => {
    const two: Condition = {
      op: 'and',
      conditions: [lasting(10, above('a', 30)), times(1, 2, above('a', 5))],
    }
    const occasion = { metrics: [], at: minuteAt(0), recheck: false, memory: noMemory }
    const { memory } = evaluate(two, { a: 31 }, occasion)
    expect(Object.keys(memory)).toHaveLength(2)
    const later = { ...occasion, at: minuteAt(10), memory }
    const one = evaluate({ op: 'not', condition: lasting(10, above('a', 30)) }, { a: 31 }, later)
    expect(one.branch.children?.[0]).toMatchObject({ met: true, since: minuteAt(0).toISOString() })
    expect(Object.keys(one.memory)).toHaveLength(1)
  })
})

/** One minute of the slow model: the values that hold, and whether they arrived now. */
interface Minute {
  inputs: Inputs
  isNew: boolean
}

type Of<Op> = Extract<Condition, { op: Op }>

/** The answer of a condition at a minute, from everything that has happened until then. */
function model(history: readonly Minute[]) {
  const known = new Map<Condition, Answer[]>()
  const first = history.findIndex(({ isNew }) => isNew)
  const answerAt = (condition: Condition, minute: number): Answer => {
    const answers = known.get(condition) ?? []
    known.set(condition, answers)
    if (answers[minute] === undefined) answers[minute] = compute(condition, minute)
    return answers[minute] as Answer
  }
  const numberAt = (minute: number) => {
    const value = history[minute]?.inputs.a
    return typeof value === 'number' ? value : null
  }
  const all = (list: readonly Condition[], minute: number) => list.map((each) => answerAt(each, minute))
  const models: { readonly [Op in Condition['op']]?: (condition: Of<Op>, minute: number) => Answer } = {
    and({ conditions }, minute) {
      const list = all(conditions, minute)
      return list.includes(false) ? false : list.includes(null) ? null : true
    },
    or({ conditions }, minute) {
      const list = all(conditions, minute)
      return list.includes(true) ? true : list.includes(null) ? null : false
    },
    not({ condition }, minute) {
      const inner = answerAt(condition, minute)
      return inner === null ? null : !inner
    },
    for({ condition, minutes }, minute) {
      const now = answerAt(condition, minute)
      if (now !== true) return now
      let since = minute
      while (since > first && answerAt(condition, since - 1) === true) since--
      return minute - since >= minutes
    },
    times({ condition, count, of }, minute) {
      const last = [...history.keys()]
        .filter((at) => history[at]?.isNew && at <= minute)
        .slice(-of)
        .map((at) => answerAt(condition, at))
      const met = last.filter((each) => each === true).length
      const maybe = last.filter((each) => each !== false).length
      return met >= count ? true : maybe >= count ? null : false
    },
    hysteresis({ direction, limit, release }, minute) {
      const sign = direction === 'above' ? 1 : -1
      let isOn = false
      for (let at = 0; at <= minute; at++) {
        const value = numberAt(at)
        if (value === null) continue
        if (sign * value > sign * limit) isOn = true
        else if (sign * value < sign * release) isOn = false
      }
      return numberAt(minute) === null ? null : isOn
    },
    gt(_, minute) {
      const value = numberAt(minute)
      return value === null ? null : value > 3
    },
  }
  const compute = (condition: Condition, minute: number): Answer => {
    const each = models[condition.op] as ((condition: Condition, minute: number) => Answer) | undefined
    if (each === undefined) throw new Error(condition.op)
    return each(condition, minute)
  }
  return answerAt
}

const { tree } = fc.letrec<{ tree: Condition }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(above('a', 3)),
    fc.constantFrom(between('above', 5, 2), between('below', 2, 4), between('above', 3, 3)),
    fc.record({ op: fc.constant('not'), condition: tie('tree') }),
    fc.record({
      op: fc.constantFrom('and', 'or'),
      conditions: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ op: fc.constant('for'), minutes: fc.integer({ min: 1, max: 6 }), condition: tie('tree') }),
    fc.record({
      op: fc.constant('times'),
      count: fc.integer({ min: 1, max: 3 }),
      of: fc.integer({ min: 3, max: 5 }),
      condition: tie('tree'),
    }),
  ) as fc.Arbitrary<Condition>,
}))

/** By minute: a value, none (null), or nothing happens (undefined). */
const day = fc.array(
  fc.option(fc.option(fc.integer({ min: 0, max: 7 }), { nil: null, freq: 6 }), { nil: undefined, freq: 1 }),
  { minLength: 1, maxLength: 40 },
)

describe('what looks back', () => {
  it('is at every minute as in a model that looks at everything, evaluated only when it says (seed 20261120)', () => {
    fc.assert(
      fc.property(tree, day, (condition, values) => {
        let held: number | null | undefined
        const history = values.map((value): Minute => {
          if (value !== undefined) held = value
          return { inputs: { a: held ?? null }, isNew: value !== undefined }
        })
        const answerAt = model(history)
        let memory: Memory = noMemory
        let dueAt: Date | null = null
        let met: boolean | null = null
        for (const [minute, { inputs, isNew }] of history.entries()) {
          const at = minuteAt(minute)
          const isDue: boolean = dueAt !== null && dueAt <= at
          if (isNew || isDue) {
            const found = evaluate(condition, inputs, { metrics: [], at, recheck: !isNew, memory })
            ;({ memory, dueAt } = found)
            met = found.branch.met
          }
          if (met !== null) expect(met).toBe(answerAt(condition, minute) === true)
        }
      }),
      { seed: 20_261_120, numRuns: 1_000 },
    )
  })
})
