import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { fuzzing } from '../../../test/fuzz.ts'
import { readMessage } from './answers.ts'
import { elixirLimits } from './types.ts'

const answer = (value: string) => `{"answer":{"v":${value},"l":[],"us":1}}`

describe('a message of a process', () => {
  it('is read where it has the form the runner gives it', () => {
    expect(readMessage('{"ready":true}')).toEqual({ kind: 'ready' })
    expect(readMessage('{"defined":{"ok":true},"full":false}')).toEqual({
      kind: 'defined',
      error: null,
      isFull: false,
    })
    expect(
      readMessage('{"defined":{"ok":false,"c":"SCRIPT_SYNTAX","e":"x","line":3},"full":true}'),
    ).toMatchObject({ error: { code: 'SCRIPT_SYNTAX', message: 'x', line: 3 }, isFull: true })
    expect(readMessage(answer('{"a":[1,"]]]]","\\""]}'))).toEqual({
      kind: 'answer',
      answer: { ok: true, value: { a: [1, ']]]]', '"'] }, durationUs: 1, console: [] },
    })
    expect(readMessage('{"answer":{"c":"SCRIPT_ERROR","e":"boom (line 7)","l":["x"],"us":2}}')).toEqual({
      kind: 'answer',
      answer: {
        ok: false,
        error: { code: 'SCRIPT_ERROR', message: 'boom (line 7)', line: 7 },
        durationUs: 2,
        console: ['x'],
      },
    })
  })

  test.each([
    ['is no JSON', 'ready'],
    ['is cut off', '{"ready":tru'],
    ['is no object', '[{"ready":true}]'],
    ['is null', 'null'],
    ['has no known form', '{"redy":true}'],
    ['is nested too deep', answer('['.repeat(60_000) + ']'.repeat(60_000))],
    ['is nested too deep in objects', answer(`${'{"a":'.repeat(41)}1${'}'.repeat(41)}`)],
    ['has no value', '{"answer":{"us":1}}'],
    ['has no duration', '{"answer":{"v":1}}'],
    ['has a duration that is no number', '{"answer":{"v":1,"us":"1"}}'],
    ['has a duration before its time', '{"answer":{"v":1,"us":-1}}'],
    ['has a console that is no list', '{"answer":{"v":1,"us":1,"l":{"length":1}}}'],
    ['has a line that is no text', '{"answer":{"v":1,"us":1,"l":[1]}}'],
    ['has a line that is too long', `{"answer":{"v":1,"us":1,"l":["${'x'.repeat(1_001)}"]}}`],
    ['has too many lines', `{"answer":{"v":1,"us":1,"l":[${'"x",'.repeat(100)}"x"]}}`],
    ['has a code of somebody else', '{"answer":{"c":"NO_PERMISSION","e":"x","us":1}}'],
    ['has a code that is no text', '{"answer":{"c":{"toString":1},"e":"x","us":1}}'],
    ['has a message that is no text', '{"answer":{"c":"SCRIPT_ERROR","e":{"length":9},"us":1}}'],
    ['has a message of another kind', '{"defined":{"c":"SCRIPT_SYNTAX","e":[]}}'],
  ])('is refused where it %s', (_title, text) => {
    expect(() => readMessage(text)).toThrow()
  })

  test.each([
    ['no JSON', 'ready', SyntaxError],
    ['nesting', answer(`${'{"a":'.repeat(41)}1${'}'.repeat(41)}`), /nested too deep/],
    ['nesting beside closed lists', answer(`[[],${'['.repeat(60)}${']'.repeat(60)}]`), /nested too deep/],
    ['a list', '[1]', /not an object/],
    ['null', 'null', /not an object/],
    ['an unknown form', '{"answer":1}', /no known form/],
    ['no duration', '{"answer":{"v":1}}', /no duration/],
    ['no value', '{"answer":{"us":1}}', /no value/],
    ['too many lines', `{"answer":{"v":1,"us":1,"l":[${'"x",'.repeat(100)}"x"]}}`, /too many lines/],
    ['a long line', `{"answer":{"v":1,"us":1,"l":["${'x'.repeat(1_001)}"]}}`, /line is too long/],
    ['an unknown code', '{"answer":{"c":"X","e":"x","us":1}}', /no known code/],
    ['no message', '{"answer":{"c":"SCRIPT_ERROR","e":5,"us":1}}', /no message/],
  ])('says why it is refused: %s', (_, text, reason) => {
    expect(() => readMessage(text)).toThrow(reason)
  })

  it('is read up to its bounds', () => {
    const { lines, chars } = elixirLimits.runner
    const full = Array.from({ length: lines }, () => 'x'.repeat(2 * chars))
    const read = readMessage(JSON.stringify({ answer: { v: 1, us: 0, l: full } }))
    expect(read).toMatchObject({ answer: { durationUs: 0, console: full } })
    expect(readMessage('{"answer":{"v":1,"us":1}}')).toMatchObject({ answer: { console: [] } })
    // Two levels are those of the message.
    const deep = elixirLimits.levelsMax - 2
    expect(readMessage(answer('['.repeat(deep) + ']'.repeat(deep)))).toMatchObject({ kind: 'answer' })
    expect(() => readMessage(answer('['.repeat(deep + 1) + ']'.repeat(deep + 1)))).toThrow(/too deep/)
    const wide = answer(`[${Array.from({ length: 200 }, () => '[{}]').join(',')}]`)
    expect(readMessage(wide)).toMatchObject({ kind: 'answer' })
  })

  it.each([
    ['boom (line 12)', 12],
    ['boom (line 12) and more', undefined],
    ['boom', undefined],
  ])('the message %j names the line %j', (message, line) => {
    const read = readMessage(JSON.stringify({ answer: { c: 'SCRIPT_ERROR', e: message, us: 1 } }))
    expect(read).toMatchObject({ answer: { error: { message } } })
    expect((read as { answer: { error: { line?: number } } }).answer.error.line).toBe(line)
  })

  it('is shortened where its reason is long', () => {
    const read = readMessage(JSON.stringify({ answer: { c: 'SCRIPT_ERROR', e: 'x'.repeat(5_000), us: 1 } }))
    expect((read as { answer: { error: { message: string } } }).answer.error.message).toHaveLength(2_000)
  })

  it('changes nothing but its own value', () => {
    const message = readMessage(answer('{"__proto__":{"isAdmin":true},"constructor":1}'))
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
    expect(JSON.stringify(message)).toContain('"constructor":1')
    expect(readMessage('{"answer":{"c":"SCRIPT_ERROR","e":"\\ud800\\u0000","us":1}}')).toMatchObject({
      answer: { error: { message: '\ufffd\ufffd' } },
    })
  })

  it('is read or refused, whatever it is: nothing else comes of it', () => {
    const json = fc.jsonValue({ maxDepth: 60 })
    const part = fc.oneof(json, fc.string(), fc.constantFrom('SCRIPT_ERROR', true, 1, [], null))
    const message = fc.oneof(
      fc.record({
        answer: fc.record({ v: part, l: part, us: part, c: part, e: part }, { requiredKeys: [] }),
      }),
      fc.record({
        defined: fc.record({ ok: part, c: part, e: part, line: part }, { requiredKeys: [] }),
        full: part,
      }),
      json,
    )
    const cut = fc
      .tuple(message, fc.nat(200))
      .map(([value, length]) => JSON.stringify(value).slice(0, length))
    fc.assert(
      fc.property(
        fc.oneof(
          message.map((value) => JSON.stringify(value)),
          cut,
          fc.string(),
        ),
        (text) => {
          let read: ReturnType<typeof readMessage>
          try {
            read = readMessage(text)
          } catch (error) {
            expect(error).toBeInstanceOf(Error)
            expect(error).not.toBeInstanceOf(RangeError)
            return
          }
          expect(['ready', 'defined', 'answer']).toContain(read.kind)
          if (read.kind !== 'answer') return
          expect(read.answer.console?.length ?? 0).toBeLessThanOrEqual(elixirLimits.runner.lines)
          if (!read.answer.ok) expect(read.answer.error.code).toMatch(/^SCRIPT_/)
        },
      ),
      fuzzing(500),
    )
  })
})
