import { MqttBrokerSettings } from '@leitstand/contract/connectors/kinds/mqtt-broker'
import { MqttInSettings } from '@leitstand/contract/connectors/kinds/mqtt-in'
import i18next from 'i18next'
import { beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import de from '../locales/de.json' with { type: 'json' }
import { check } from './validation.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

it('says by field, in the language of the user, what is wrong', () => {
  const errors = check(MqttInSettings)({ host: 'mqtt://x/y', port: 70_000, topics: [] })
  expect(errors).toEqual({
    host: 'Diese Form ist hier nicht erlaubt.',
    port: 'Höchstens 65535.',
    topics: 'Mindestens ein Eintrag ist nötig.',
  })
  expect(check(MqttBrokerSettings)({ username: 'press-01', publishTopics: ['a/#/b'] })).toEqual({
    'publishTopics.0': 'Kein gültiges Topic-Muster: „+“ steht für eine ganze Ebene, „#“ nur am Ende.',
  })
})

it('finds nothing in what is right', () => {
  expect(check(MqttInSettings)({ host: 'broker.example', topics: ['plant/+/up'] })).toEqual({})
})

it('tells what is missing from what is too long', () => {
  const schema = z.object({ title: z.string().trim().min(1).max(5), size: z.number() })
  expect(check(schema)({ title: '  ', size: '' })).toEqual({
    title: 'Diese Angabe fehlt.',
    size: 'Geben Sie eine Zahl ein.',
  })
  expect(check(schema)({ title: 'too long', size: 1 })).toEqual({ title: 'Höchstens 5 Zeichen.' })
})
