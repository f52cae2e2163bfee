import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { fuzzing, rubbish } from '../../../test/fuzz.ts'
import { HostileAnswer, readCheck, readPart } from './answers.ts'
import { scanAnswers } from './scan.ts'
import { LIMITS } from './types.ts'

const fault = (text: string, count = 1) => scanAnswers(text, count).fault
const value = (json: string) => `{"v":${json}}`
const nest = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth)

describe('answers that are right', () => {
  test.each([
    value('1'),
    value('-0.5e-7'),
    value('"a\\u00e9\\"\\\\\\n"'),
    value('[]'),
    value('{}'),
    value('[[],{},[{}],{"a":[]}]'),
    value('{"a":{"b":[1,2,{"c":null}]},"d":true,"":false}'),
    value(nest(LIMITS.outputDepth, '[', ']')),
    '{"u":1}',
    '{"v":1,"w":["a","b"],"l":[]}',
    '{"c":"SCRIPT_ERROR","e":"Error: x","s":"at script.js:1:1","l":["line"]}',
  ])('%s', (text) => {
    expect(fault(text)).toBeUndefined()
    expect(fault(`${text},${text}`, 2)).toBeUndefined()
  })
})

describe('answers that are not', () => {
  test.each([
    ['nothing', ''],
    ['no record', '[1]'],
    ['an empty record', '{}'],
    ['a number that is infinite', value('1e400')],
    ['a number that is infinite by its digits', value(`1${'0'.repeat(400)}`)],
    ['a number that is none', value('01')],
    ['NaN', value('NaN')],
    ['a control character', value('"\n"')],
    ['an unknown escape', value('"\\x41"')],
    ['a value that does not end', '{"v":[1,2}'],
    ['brackets that do not match', value('[{]}')],
    ['a comma too many', value('[1,]')],
    ['a key that is none', value('{1:2}')],
    ['a key without value', value('{"a"}')],
    ['a prototype', value('{"__proto__":{"admin":true}}')],
    ['a prototype in disguise', value('{"\\u005f_proto__":{"admin":true}}')],
    ['too deep', value(nest(LIMITS.outputDepth + 1, '[', ']'))],
    ['60 000 levels', value(nest(60_000, '[', ']'))],
    ['60 000 records', value(`${'{"a":'.repeat(60_000)}1${'}'.repeat(60_000)}`)],
    ['36 MB', value(`"${'x'.repeat(36e6)}"`)],
    ['two values', '{"v":1,"v":2}'],
    ['a value and an error', '{"v":1,"c":"SCRIPT_ERROR"}'],
    ['a code that is not known', '{"c":"ADMIN"}'],
    ['a code of the server alone', '{"c":"SCRIPT_ENGINE_BUSY"}'],
    ['a code that is no text', '{"c":1}'],
    ['a message that is too long', `{"c":"SCRIPT_ERROR","e":"${'x'.repeat(600)}"}`],
    ['a message that is a record', '{"c":"SCRIPT_ERROR","e":{}}'],
    ['a field that is not known', '{"v":1,"x":1}'],
    ['warnings that are no texts', '{"v":1,"w":[1]}'],
    ['too many lines', `{"v":1,"l":[${Array(102).fill('""').join()}]}`],
    ['space', ' {"v":1}'],
    ['something behind it', '{"v":1}]'],
    ['one answer more', '{"v":1},{"v":2}'],
  ])('%s', (_title, text) => {
    expect(fault(text)).toBeTypeOf('string')
  })

  it('says how many are right before it', () => {
    expect(scanAnswers('{"v":1},{"v":2},{"v":nope}', 3)).toMatchObject({ good: 2 })
    expect(scanAnswers('{"v":1},{"v":2}', 3)).toMatchObject({ good: 2 })
    expect(scanAnswers('{"v":1},{"v":2},{"v":3}', 2)).toMatchObject({ good: 1 })
  })
})

/** A frame as a process sends it, corrupted in one or two places. */
const frames = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc.json({ maxDepth: 4 }).map((json) => `{"v":${JSON.stringify(JSON.parse(json))}}`),
        fc.constant('{"u":1}'),
        fc.string({ maxLength: 40 }).map((text) => `{"c":"SCRIPT_ERROR","e":${JSON.stringify(text)}}`),
        fc.array(fc.string({ maxLength: 20 })).map((texts) => `{"v":1,"l":${JSON.stringify(texts)}}`),
        fc
          .tuple(fc.nat({ max: 80_000 }), fc.constantFrom('[', '{"a":'))
          .map(([depth, open]) => `{"v":${open.repeat(depth)}`),
        fc.nat({ max: 200_000 }).map((length) => `{"v":"${'x'.repeat(length)}"}`),
        rubbish,
      ),
      { maxLength: 6 },
    ),
    fc.integer({ min: -2, max: 8 }),
    fc.option(fc.tuple(fc.nat(), rubbish), { freq: 2 }),
    fc.constantFrom(
      '{"slices":[[N,5]],"busyUs":7}',
      '{"slices":[],"busyUs":0}',
      '{}',
      'N',
      '[[[[[[',
      '{"slices":[[N,-1]],"busyUs":1e400}',
    ),
  )
  .map(([pieces, extra, harm, head]) => {
    const text = `${head.replaceAll('N', String(pieces.length + Math.min(0, extra)))}\n[${pieces.join(',')}]`
    if (harm === null) return { text, max: pieces.length + Math.max(0, extra) }
    const at = harm[0] % (text.length + 1)
    return { text: text.slice(0, at) + harm[1] + text.slice(at), max: pieces.length }
  })

/** Depth and length of a value, without recursion. */
function measure(root: unknown): number {
  let depth = 0
  let level: unknown[] = [root]
  while (level.length > 0) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
    depth++
  }
  return depth
}

describe('frames of a process that is hostile', () => {
  it('are answers within the limits, or refused as what they are', () => {
    fc.assert(
      fc.property(frames, ({ text, max }) => {
        try {
          const { results } = readPart(text, max)
          expect(results.length).toBeLessThanOrEqual(max)
          for (const result of results) {
            if (!result.ok) expect(result.error.message.length).toBeLessThanOrEqual(LIMITS.errorChars + 1)
            else if (result.value !== undefined) {
              expect(measure(result.value)).toBeLessThanOrEqual(LIMITS.outputDepth + 1)
              expect(JSON.stringify(result.value).length).toBeLessThanOrEqual(LIMITS.outputChars)
            }
          }
        } catch (error) {
          expect(error).toBeInstanceOf(HostileAnswer)
        }
      }),
      fuzzing(2_000),
    )
  })

  it('the scanner takes nothing that JSON does not, and all that is written as answers are', () => {
    fc.assert(
      fc.property(fc.oneof(rubbish, fc.json()), (text) => {
        const isRight = fault(`{"v":${text}}`) === undefined
        if (isRight) JSON.parse(text)
        const canonical = canonicalOf(text)
        if (canonical !== undefined) expect(fault(`{"v":${canonical}}`)).toBeUndefined()
      }),
      fuzzing(5_000),
    )
  })

  it('what a check finds is within its limits, or refused', () => {
    const found = fc.oneof(
      rubbish,
      fc.record({ ok: fc.anything(), family: fc.anything(), writes: fc.anything() }).map((each) => {
        try {
          return JSON.stringify(each) ?? ''
        } catch {
          return '{'
        }
      }),
      fc.nat({ max: 80_000 }).map((depth) => '['.repeat(depth)),
    )
    fc.assert(
      fc.property(found, (text) => {
        expect(() => readCheck(text)).toThrow(HostileAnswer)
      }),
      fuzzing(1_000),
    )
  })
})

/** The same value as the sandbox would write it; undefined where it would refuse it. */
function canonicalOf(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const written = JSON.stringify(value)
    const hasPrototype = written.includes('__proto__')
    return hasPrototype || written.length > LIMITS.outputChars || measure(value) > LIMITS.outputDepth
      ? undefined
      : written
  } catch {
    return undefined
  }
}
