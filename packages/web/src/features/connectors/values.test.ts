import i18next from 'i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import en from '../../locales/en.json' with { type: 'json' }
import { checkConnector, emptySettings, settingsFor, settingsFrom } from './values.ts'

beforeAll(() => i18next.init({ lng: 'en', resources: { en: { translation: en } } }))

const base = { accountId: '1', name: 'Press hall', description: '', enabled: true }

describe('the form of a connector', () => {
  it('sends only what the kind knows, and no template that is not in use', () => {
    const values = { ...emptySettings(), template: 'module.exports = …', host: 'broker', username: 'press' }
    expect(settingsFor('webhook-in', values)).toEqual({
      preset: 'standard',
      template: '',
      messagesPerSecond: null,
      downlinks: 'none',
      downlinkUrl: '',
      downlinkKey: '',
      remote: 'none',
      remoteUrl: '',
      remoteApplication: '',
      remoteKey: '',
    })
    expect(Object.keys(settingsFor('mqtt-broker', values))).not.toContain('host')
    expect(settingsFor('webhook-in', { ...values, preset: 'template' }).template).toBe('module.exports = …')
  })

  it('reads stored settings and never a password', () => {
    const values = settingsFrom({ preset: 'tts-v3', topics: ['a/#'], port: '88', tls: true, password: 'x' })
    expect(values).toMatchObject({ preset: 'tts-v3', topics: ['a/#'], port: 1883, tls: true, password: '' })
  })

  it('needs an address, and at first a key, where downlinks go by HTTP', () => {
    const settings = { ...emptySettings(), downlinks: 'tts-v3' as const }
    expect(Object.keys(checkConnector('webhook-in', true)({ ...base, settings }))).toEqual([
      'settings.downlinkUrl',
      'settings.downlinkKey',
    ])
    const stored = settingsFrom({
      downlinks: 'tts-v3',
      downlinkUrl: 'https://a.example/hook',
      downlinkKey: 'x',
    })
    expect(stored.downlinkKey).toBe('')
    expect(checkConnector('webhook-in', false)({ ...base, settings: stored })).toEqual({})
    expect(Object.keys(settingsFor('mqtt-in', stored))).not.toContain('downlinkUrl')
  })

  it('needs address, application and at first a key, where a network server can be asked', () => {
    const settings = { ...emptySettings(), remote: 'tts-v3' as const, remoteApplication: 'Not an id' }
    expect(Object.keys(checkConnector('mqtt-broker', true)({ ...base, settings }))).toEqual(
      expect.arrayContaining(['settings.remoteUrl', 'settings.remoteApplication', 'settings.remoteKey']),
    )
    const access = { remoteUrl: 'https://a.example', remoteApplication: 'app1' }
    const stored = settingsFrom({ ...settings, ...access, remoteKey: 'x' })
    expect(stored.remoteKey).toBe('')
    expect(checkConnector('webhook-in', false)({ ...base, settings: stored })).toEqual({})
  })

  it('has no limit while the field is empty', () => {
    expect(settingsFrom({ messagesPerSecond: null }).messagesPerSecond).toBe('')
    const limited = settingsFrom({ messagesPerSecond: 50 })
    expect(settingsFor('mqtt-broker', limited)).toMatchObject({ messagesPerSecond: 50 })
    const settings = { ...emptySettings(), messagesPerSecond: 0 }
    expect(Object.keys(checkConnector('webhook-in', true)({ ...base, settings }))).toEqual([
      'settings.messagesPerSecond',
    ])
  })

  it('is checked by the schema of its kind', () => {
    const settings = { ...emptySettings(), publishTopics: [] }
    expect(checkConnector('webhook-in', true)({ ...base, settings })).toEqual({})
    expect(checkConnector('mqtt-broker', true)({ ...base, accountId: null, settings })).toEqual({
      accountId: 'This is missing.',
      'settings.username': 'This form is not allowed here.',
      'settings.publishTopics': 'At least one entry is needed.',
      'settings.password': 'This is missing.',
    })
    expect(
      checkConnector('mqtt-broker', false)({ ...base, settings: { ...emptySettings(), username: 'press' } }),
    ).toEqual({})
    expect(
      checkConnector('webhook-in', true)({ ...base, settings: { ...settings, preset: 'template' } }),
    ).toEqual({ 'settings.template': 'This is missing.' })
  })
})
