import { describe, expect, it } from 'vitest'
import { placeholdersOf, renderLine, renderText } from './render.ts'

const values = {
  inputs: {
    temperature: 21.30000000000001,
    mean: 1793.1666666666667,
    pressure: 3.4567,
    humidity: 40,
    door: 'open\r\nBcc: all@example.org',
    empty: null,
    list: [1, 2],
    on: true,
  },
  twinTitle: 'Town hall',
  ruleTitle: 'Too warm',
  at: new Date('2026-07-01T22:30:00.000Z'),
  timeZone: 'Europe/Berlin',
  decimals: new Map([
    ['pressure', 2],
    ['humidity', 1],
  ]),
}

describe('texts of a rule', () => {
  it.each([
    ['{{temperature}} °C', '21.3 °C'],
    ['{{ temperature }}', '21.3'],
    ['{{mean}}', '1793.166667'],
    ['{{pressure}} bar, {{humidity}} %', '3.46 bar, 40.0 %'],
    ['{{empty}}', '–'],
    ['{{on}} {{list}}', 'true [1,2]'],
    ['{{twin.title}}/{{rule.title}}', 'Town hall/Too warm'],
    ['{{time}}', '2026-07-02 00:30:00 Europe/Berlin'],
    ['{{unknown}} {{ {{', '{{unknown}} {{ {{'],
    ['{{toString}}', '{{toString}}'],
  ])('%s becomes %s', (template, text) => {
    expect(renderText(template, values)).toBe(text)
  })

  it('keeps what a value brings along in its line and does not fill it in again', () => {
    expect(renderLine('Door {{door}}', values)).toBe('Door open Bcc: all@example.org')
    expect(renderText('{{a}}', { ...values, inputs: { a: '{{twin.title}}' } })).toBe('{{twin.title}}')
  })

  it('falls back to UTC when the time zone is not known', () => {
    expect(renderText('{{time}}', { ...values, timeZone: 'Nowhere/Land' })).toBe('2026-07-01 22:30:00 UTC')
  })

  it('lists the placeholders of a text', () => {
    expect(placeholdersOf('{{a}} {{twin.title}} {{a}} {{ b }}')).toEqual(['a', 'twin.title', 'b'])
  })
})
