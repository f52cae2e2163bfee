import { messageBytesMax } from '@leitstand/contract/rules/actions/webhook'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TextValues } from '../render.ts'
import { checkJson, jsonFault, MessageTooLarge, renderJson, renderMessage, renderTopic } from './messages.ts'

const valuesOf = (inputs: TextValues['inputs'], change: Partial<TextValues> = {}): TextValues => ({
  inputs,
  decimals: new Map(),
  twinTitle: 'Server "room"',
  ruleTitle: 'Too warm',
  at: new Date('2026-05-04T10:15:00Z'),
  timeZone: 'Europe/Berlin',
  ...change,
})

describe('JSON with placeholders', () => {
  it('has values of their type, and texts within texts', () => {
    const template =
      '{"value": {{a}}, "on": {{ b }}, "none": {{c}}, "at": {{time}}, "what": {{rule.title}}, "of": {{twin.title}}, "text": "{{a}} in {{twin.title}}"}'
    expect(JSON.parse(renderJson(template, valuesOf({ a: 31.5, b: true, c: null })))).toEqual({
      value: 31.5,
      on: true,
      none: null,
      at: '2026-05-04T10:15:00.000Z',
      what: 'Too warm',
      of: 'Server "room"',
      text: '31.5 in Server "room"',
    })
  })

  it('is JSON with the same texts around, whatever the values are', () => {
    const template = '{"a\\"": "x{{a}}\\\\", "b": [{{a}}, "{{a}}"], "c": "y"}'
    fc.assert(
      fc.property(fc.jsonValue(), (a) => {
        const read = JSON.parse(renderJson(template, valuesOf({ a: a as never })))
        expect(Object.keys(read)).toEqual(['a"', 'b', 'c'])
        expect(read.b).toHaveLength(2)
        expect(read.b[0]).toEqual(JSON.parse(JSON.stringify(a)))
        expect(read.c).toBe('y')
      }),
    )
  })

  it.each([
    ['{"a": {{a}}}', null],
    ['{{a}}', null],
    ['"{{a}}"', null],
    ['{"a": {{a}}', 'not valid JSON'],
    ['{"a": {{a}}{{a}}}', 'not valid JSON'],
    ['', 'not valid JSON'],
    ['{"a": "{{a}}}', 'not valid JSON'],
    [`"${'x'.repeat(messageBytesMax)}"`, 'the message is too large'],
  ])('%s: %s', (template, fault) => {
    expect(jsonFault(template)).toBe(fault)
    expect(checkJson(template, ['text'])).toEqual(
      fault === null ? [] : [{ path: ['text'], message: fault, text: 'jsonTemplate' }],
    )
  })

  it('is never larger than a message may be, and does not become so on the way', () => {
    const template = `[${Array.from({ length: 100 }, () => '{{a}}').join(',')}]`
    const a = 'x'.repeat(1_000_000)
    expect(() => renderJson(template, valuesOf({ a }))).toThrow(MessageTooLarge)
    expect(() => renderJson('{{a}}', valuesOf({ a: 'ä'.repeat(messageBytesMax / 2) }))).toThrow(
      MessageTooLarge,
    )
    expect(renderJson('{{a}}', valuesOf({ a: 'x'.repeat(messageBytesMax - 2) }))).toHaveLength(
      messageBytesMax,
    )
  })
})

describe('a text', () => {
  it('can be stored, and is bounded', () => {
    expect(renderMessage('{{a}}!', valuesOf({ a: 'x\ud800y\0z' }))).toBe('x\ufffdy z!')
    const template = Array.from({ length: 100 }, () => '{{a}}').join('')
    expect(() => renderMessage(template, valuesOf({ a: 'x'.repeat(1000) }))).toThrow(MessageTooLarge)
  })
})

describe('a topic', () => {
  it.each([
    ['a/{{a}}/b', 'x', 'a/x/b'],
    ['a/{{a}}', 'x/y', 'a/x_y'],
    ['a/{{a}}', '#', 'a/_'],
    ['a/{{a}}', '+/$SYS', 'a/_$SYS'],
    ['a/{{a}}', 'x\r\ny z', 'a/x_y_z'],
    ['a/{{a}}', 'x'.repeat(500), `a/${'x'.repeat(100)}`],
  ])('%s with %j is %s', (template, a, topic) => {
    expect(renderTopic(template, valuesOf({ a }))).toBe(topic)
  })
})
