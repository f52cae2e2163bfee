import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Attack, FAMILIES } from './hostileFamilies.ts'
import { driver, good, outcome, startTestEngine, type TestEngine } from './testing.ts'
import { LIMITS, type ScriptEngine, type ScriptErrorCode } from './types.ts'

let test: TestEngine
let engine: ScriptEngine
beforeAll(async () => {
  test = await startTestEngine(1)
  engine = test.engine
})
afterAll(() => test[Symbol.asyncDispose]())

/** Another account's script, which keeps its own state and must never see that of others. */
const canary = driver(
  'const secret = "canary"; module.exports = function (p) { return { n: parseInt(p, 16), own: secret, foreign: typeof leaked, admin: {}.admin === undefined } }',
)

afterEach(async () => {
  const answers = await engine.run(canary, [{ bytes: '10' }, { bytes: '11' }])
  const clean = { own: 'canary', foreign: 'undefined', admin: true }
  expect(answers.map(good)).toEqual([
    { n: 16, ...clean },
    { n: 17, ...clean },
  ])
})

/** Every possible outcome of a message, whatever its script does. */
const OUTCOMES: readonly (ScriptErrorCode | 'ok')[] = [
  ...(['ok', 'SCRIPT_ERROR', 'SCRIPT_TIMEOUT', 'SCRIPT_MEMORY', 'SCRIPT_CRASHED'] as const),
  ...(['SCRIPT_OUTPUT_TOO_LARGE', 'SCRIPT_OUTPUT_INVALID'] as const),
]

/** Runs an attack as one of three messages of one script; the other two must get correct results. */
async function attack([, code, outcomes = OUTCOMES]: Attack): Promise<void> {
  const script = driver(
    `module.exports = function (p, m) { globalThis.leaked = 1; if (p === 'ff') { ${code} }; return { p: p, k: Object.keys(m).length } }`,
  )
  const inputs = ['01', 'ff', '02'].map((bytes) => ({ bytes }))
  const results = await engine.run(script, inputs, { console: true })
  expect([results[0], results[2]].map(good)).toEqual([
    { p: '01', k: 0 },
    { p: '02', k: 0 },
  ])
  const [, result] = results
  expect(JSON.stringify(result)).not.toContain('LEAK')
  expect(outcomes, JSON.stringify(result).slice(0, 300)).toContain(outcome(result))
  expect(JSON.stringify(result).length).toBeLessThan(LIMITS.sliceChars)
}

describe.each(Object.entries(FAMILIES))('%s', (_family, attacks) => {
  it.each(attacks.map((each) => [each[0], each] as const))('%s', (_title, each) => attack(each), 30_000)
})

it('at least 150 of them', () => {
  const all = Object.values(FAMILIES).flat()
  expect(new Set(all.map(([, code]) => code)).size).toBeGreaterThanOrEqual(150)
})
