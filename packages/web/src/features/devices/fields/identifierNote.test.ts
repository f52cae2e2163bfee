import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../../../locales/de.json' with { type: 'json' }
import { noteOf } from './identifierNote.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

const texts = de.devices.form
const count = (text: string, digits: number) => text.replace('{{count, number}}', String(digits))

describe('the note at an identifier', () => {
  test.each([
    ['', 'standard', texts.externalIdHint],
    ['   ', undefined, texts.externalIdHint],
    ['', 'chirpstack-v4', texts.euiWanted],
    ['', 'tts-v3', texts.euiOrId],
    ['A81758FFFE000001', 'standard', texts.euiRight],
    ['A81758FFFE000001', 'chirpstack-v4', texts.euiRight],
    ['a8:17:58:ff:fe:00:00:01', 'standard', texts.euiKept.replace('{{eui}}', 'A81758FFFE000001')],
    [' A81758FFFE000001', undefined, texts.euiKept.replace('{{eui}}', 'A81758FFFE000001')],
    ['A81758FFFE00000', 'standard', count(texts.euiIncomplete, 15)],
    ['A81758FFFE00000', 'chirpstack-v4', count(texts.euiCount, 15)],
    ['A81758FFFE0000012', 'tts-v3', count(texts.euiCount, 17)],
    ['Zähler 7', 'standard', texts.notEui],
    ['Zähler 7', undefined, texts.notEui],
    ['meter-7', 'tts-v3', texts.notEui],
    ['Meter 7', 'tts-v3', texts.euiOrId],
    ['meter-7', 'chirpstack-v4', texts.euiWanted],
    ['<img onerror=alert(1)>', 'standard', texts.notEui],
  ] as const)('%j of the preset %s', (value, preset, text) => {
    expect(noteOf(value, preset, i18next.t)).toBe(text)
  })
})
