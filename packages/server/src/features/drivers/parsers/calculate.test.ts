import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { AppError } from '../../../platform/errors.ts'
import { startTestEngine, type TestEngine } from '../../../platform/scripts/testing.ts'
import { type RunnableDriver, runDriver } from '../run.ts'
import { readFormulas } from './expressions.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await startTestEngine()
})
afterAll(() => engine[Symbol.asyncDispose]())

const time = new Date('2026-06-01T00:00:00.000Z')

/** What a JSON packet becomes, its fields being its variables. */
async function calculate(data: object, calculated: Record<string, string>) {
  const driver: RunnableDriver = {
    driverId: 1,
    number: 1,
    script: '',
    accountId: 1,
    parser: { kind: 'unset' },
    calculated: Object.entries(calculated).map(([key, expression]) => ({ key, expression })),
  }
  const packet = {
    payload: JSON.stringify(data),
    encoding: 'json' as const,
    fPort: 3,
    time,
    meta: { rssi: -80 },
  }
  const [decoded] = await runDriver({ scripts: engine.engine }, driver, [packet], { dataAccountId: 1 })
  if (decoded === undefined) throw new Error('nothing was decoded')
  return decoded
}

const computed = async (data: object, expression: string) =>
  (await calculate(data, { x: expression })).variables.x

describe('a calculated variable', () => {
  test.each<[string, object, string, unknown]>([
    ['is computed from others', { t: 20 }, 't * 1.8 + 32', 68],
    ['has Math', { a: 3, b: 4 }, 'Math.hypot(a, b)', 5],
    ['reads names with dots', { air: { temperature: 21.4 } }, 'Math.round(air.temperature)', 21],
    ['uses methods of values', { t: 21.456 }, 'Number(t.toFixed(1))', 21.5],
    ['may be text', { level: 90 }, "level > 80 ? 'full' : 'ok'", 'full'],
    ['may end with a comment', { t: 1 }, 't + 1 // one more', 2],
    ['is left out without its variables', { t: 1 }, 'h * 2', undefined],
    ['asks for a variable that may be missing', { t: 1 }, "t + (variables['h'] ?? 10)", 11],
    ['knows port, time and metadata', { t: 1 }, 'fPort + meta.rssi + time.getUTCFullYear()', 1949],
    ['shadows nothing', { v: [1, 2] }, 'v.map((v) => v * 2).reduce((a, b) => a + b)', 6],
    ['is no value when it is none', { a: 0 }, '1 / a', undefined],
  ])('%s', async (_title, data, expression, expected) => {
    expect(await computed(data, expression)).toEqual(expected)
  })

  it('may need another one that stands below it', async () => {
    const { variables } = await calculate({ t: 1 }, { c: 'b + 1', b: 'a.b * 2', 'a.b': 't + 1' })
    expect(variables).toMatchObject({ 'a.b': 2, b: 4, c: 5 })
  })

  it('that fails marks the packet in words and leaves the others', async () => {
    const decoded = await calculate({ t: 1 }, { bad: 't.a.b', good: 't + 1', odd: '({ t })' })
    expect(decoded.variables).toEqual({ t: 1, good: 2 })
    expect(decoded.error).toEqual({
      code: 'CALCULATION_FAILED',
      message:
        "bad: Cannot read properties of undefined (reading 'b'); odd: the result is no number, text or boolean",
    })
  })

  it('that never ends is stopped, and the packet keeps what was read', async () => {
    const decoded = await calculate({ t: 1 }, { x: '(() => { for (;;); })() + t' })
    expect(decoded).toMatchObject({ variables: { t: 1 }, error: { code: 'CALCULATION_FAILED' } })
  })

  it('is computed for every measurement of a packet', async () => {
    const data = [
      { time: '2026-05-31T22:00:00Z', t: 1 },
      { time: '2026-05-31T23:00:00Z', t: 2 },
    ]
    const { measurements } = await calculate(data, { double: 't * 2' })
    expect(measurements.map(({ variables }) => variables)).toEqual([
      { t: 1, double: 2 },
      { t: 2, double: 4 },
    ])
  })
})

describe('before they are stored', () => {
  const fault = (calculated: Record<string, string>) => {
    try {
      readFormulas(Object.entries(calculated).map(([key, expression]) => ({ key, expression })))
      return undefined
    } catch (error) {
      if (error instanceof AppError) return [error.code, error.data, error.message]
      throw error
    }
  }

  it('cycles are refused, whichever way they go', () => {
    const keys = ['a', 'b.c', 'a']
    expect(fault({ a: 'b.c + 1', 'b.c': 'variables.a' })).toEqual([
      'CALCULATED_CYCLE',
      { keys, way: 'a → b.c → a' },
      'The calculated variables need each other: a → b.c → a',
    ])
    expect(fault({ a: 'a + 1' })?.[0]).toBe('CALCULATED_CYCLE')
    expect(fault({ a: "variables['a'] + 1" })?.[0]).toBe('CALCULATED_CYCLE')
    expect(fault({ a: 't', b: 'a', c: 'a + b' })).toBeUndefined()
  })

  test.each([
    ['x +', 1, 4, 'Unexpected token'],
    ['x\n  )', undefined, undefined, ') is too much: one expression is expected'],
    ['x; y', undefined, undefined, '; y is too much: one expression is expected'],
    ['if (x) y', 1, 1, 'Unexpected token'],
  ])('%j is no expression', (expression, line, column, reason) => {
    const place = line === undefined ? {} : { line, column }
    const details = { field: 'calculated.0.expression', key: 'v', reason, ...place }
    expect(fault({ v: expression })).toEqual(['CALCULATED_INVALID', details, `v: ${reason}`])
  })
})
