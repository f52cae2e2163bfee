import i18next from 'i18next'
import { beforeAll, expect, test } from 'vitest'
import de from '../locales/de.json' with { type: 'json' }
import { faultDetail, faultTitle, remarkText } from './faults.ts'
import { formatTime } from './format.ts'

beforeAll(async () => {
  await i18next.init({
    lng: 'de',
    resources: { de: { translation: de } },
    interpolation: { escapeValue: false },
  })
})

test('what a fault is about is said in the language of the user', () => {
  const short = {
    code: 'PARSER_PAYLOAD_TOO_SHORT',
    message: 'level needs bytes 1 to 2, the payload has 2',
    params: { kind: 'bytes', target: 'level', first: 1, last: 2, bytes: 2 },
  }
  expect(faultTitle(i18next.t, short)).toBe(de.errors.PARSER_PAYLOAD_TOO_SHORT)
  expect(faultDetail(i18next.t, short)).toBe(
    '„level“ braucht die Bytes 1 bis 2; Länge der Nutzdaten: 2 Byte.',
  )
})

test('what a script says stays as it says it', () => {
  const fault = { code: 'SCRIPT_ERROR', message: 'TypeError: payload is undefined' }
  expect(faultDetail(i18next.t, fault)).toBe('TypeError: payload is undefined')
})

test('a code that says everything is not repeated in English', () => {
  const fault = { code: 'DRIVER_MISSING', message: 'The device has no driver that is published' }
  expect(faultDetail(i18next.t, fault)).toBeNull()
})

test('a fault of a newer server is said as the server says it', () => {
  const fault = { code: 'SOMETHING_NEW', message: 'for developers', params: { number: 1 } }
  expect(faultTitle(i18next.t, fault)).toBe('SOMETHING_NEW')
  expect(faultDetail(i18next.t, fault)).toBe('for developers')
})

test('remarks of the platform are said in the language of the user, those of a script as they are', () => {
  const renamed = { message: 'a b: renamed to a_b', params: { kind: 'renamed', from: 'a b', to: 'a_b' } }
  expect(remarkText(i18next.t, renamed)).toBe('„a b“ wird zur Variablen „a_b“.')
  expect(remarkText(i18next.t, { message: 'old firmware' })).toBe('old firmware')
})

const fault = (code: string, message: string, params?: Record<string, string | number>) => ({
  code,
  message,
  ...(params === undefined ? {} : { params }),
})

test('an empty message is no detail', () => {
  expect(faultDetail(i18next.t, fault('SCRIPT_ERROR', ''))).toBeNull()
})

test.each(['time', 'until'])('the parameter %s is shown as a local time', (key) => {
  const time = '2026-03-04T12:00:00.000Z'
  const shown = faultDetail(i18next.t, fault('NEW', `at {{${key}}}`, { [key]: time }))
  expect(shown).toBe(`at ${formatTime(time)}`)
})

test.each(['', 'tomorrow', '2026-13-40T99:00:00Z'])(
  'a time parameter that is no time is shown as it is: "%s"',
  (time) => {
    expect(faultDetail(i18next.t, fault('NEW', 'at {{time}}', { time }))).toBe(`at ${time}`)
  },
)

test('markup in a message is text', () => {
  const text = '<img src=x onerror=alert(1)>'
  expect(faultDetail(i18next.t, fault('SCRIPT_ERROR', text))).toBe(text)
  expect(remarkText(i18next.t, { message: text })).toBe(text)
})

test('a remark of a newer server is shown as the server words it', () => {
  expect(remarkText(i18next.t, { message: 'for developers', params: { kind: 'brandNew', n: 1 } })).toBe(
    'for developers',
  )
})
