import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../../../locales/de.json' with { type: 'json' }
import type { Step } from './diagnosis.ts'
import { heading, sentence } from './texts.ts'

beforeAll(() =>
  i18next.init({ lng: 'de', resources: { de: { translation: de } }, interpolation: { escapeValue: false } }),
)

const step = (change: Partial<Step>): Step => ({
  step: 'connector',
  level: 'ok',
  finding: 'connectorReady',
  details: {},
  ...change,
})

describe('the heading of a step', () => {
  test('names the kind of the connector', () => {
    expect(heading(step({ details: { kind: 'mqtt-in', name: 'Halle' } }), i18next.t)).toBe(
      `${de.devices.diagnosis.step.connector} · ${de.connectors.kind['mqtt-in'].name}`,
    )
  })

  test.each(['limits', 'identifier', 'device', 'driver'] as const)('of %s is its name alone', (name) => {
    expect(heading(step({ step: name }), i18next.t)).toBe(de.devices.diagnosis.step[name])
  })
})

describe('the sentence of a step', () => {
  test('names what it found', () => {
    const text = sentence(
      step({ finding: 'similarIdentifier', details: { identifier: 'A1', other: 'A2 <b>' } }),
      i18next.t,
    )
    expect(text).toBe('Unter „A1“ kam nichts an, aber unter der ähnlichen Kennung „A2 <b>“.')
  })

  test('explains a code in the language of the console', () => {
    const details = { code: 'DEVICE_DISABLED', identifier: 'A1' }
    expect(sentence(step({ finding: 'refusedPackets', details }), i18next.t)).toContain(
      de.errors.DEVICE_DISABLED,
    )
  })

  test.each([
    [{ code: 'NEWER', message: 'not in our texts' }, 'not in our texts'],
    [{ code: 'NEWER' }, 'NEWER'],
    [{ message: 'connection refused' }, 'connection refused'],
  ])('shows of %j what there is', (cause, part) => {
    const details = { name: 'Halle', ...cause } as Step['details']
    expect(sentence(step({ finding: 'connectorError', details }), i18next.t)).toMatch(new RegExp(`${part}$`))
  })

  test('shows times in the format of the user', () => {
    const details = { name: 'Halle', at: '2026-11-20T12:00:00.000Z' }
    const text = sentence(step({ details }), i18next.t)
    expect(text).toContain('20.11.2026')
    expect(text).not.toContain('2026-11-20')
  })
})
