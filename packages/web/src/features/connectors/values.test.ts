import i18next from 'i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import en from '../../locales/en.json' with { type: 'json' }
import { kindNames } from './kinds/index.ts'
import { settingsFor } from './settings.ts'
import { checkConnector, emptySettings, settingsFrom } from './values.ts'

beforeAll(() => i18next.init({ lng: 'en', resources: { en: { translation: en } } }))

const base = { accountId: '1', name: 'Press hall', description: '', enabled: true }

describe.each(kindNames)('%s', (kind) => {
  it('has its texts in both languages', () => {
    for (const { connectors } of [de, en]) {
      const { name, create, text } = connectors.kind[kind]
      expect([name, create, text].every((each) => each.trim() !== '')).toBe(true)
    }
  })

  it('begins with values that are those of its stored settings', () => {
    const empty = emptySettings(kind)
    expect(settingsFrom(kind, settingsFor(empty))).toEqual(empty)
  })
})

describe('the form of a connector', () => {
  it('sends only what the kind knows, and no template that is not in use', () => {
    const stored = { template: 'module.exports = …', host: 'broker', username: 'press' }
    const values = settingsFrom('webhook-in', stored)
    expect(settingsFor(values)).toEqual({
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
    expect(Object.keys(settingsFor(settingsFrom('mqtt-broker', stored)))).not.toContain('host')
    expect(settingsFor({ ...values, preset: 'template' }).template).toBe('module.exports = …')
  })

  it('reads stored settings and never a password', () => {
    const stored = { preset: 'tts-v3', topics: ['a/#'], port: '88', tls: true, password: 'x' }
    const values = settingsFrom('mqtt-in', stored)
    expect(values).toMatchObject({ preset: 'tts-v3', topics: ['a/#'], port: 1883, tls: true, password: '' })
  })

  it('needs an address, and at first a key, where downlinks go by HTTP', () => {
    const settings = { ...emptySettings('webhook-in'), downlinks: 'tts-v3' as const }
    expect(Object.keys(checkConnector('webhook-in', true)({ ...base, settings }))).toEqual([
      'settings.downlinkUrl',
      'settings.downlinkKey',
    ])
    const stored = settingsFrom('webhook-in', {
      downlinks: 'tts-v3',
      downlinkUrl: 'https://a.example/hook',
      downlinkKey: 'x',
    })
    expect(stored.downlinkKey).toBe('')
    expect(checkConnector('webhook-in', false)({ ...base, settings: stored })).toEqual({})
    expect(Object.keys(settingsFor(settingsFrom('mqtt-in', stored)))).not.toContain('downlinkUrl')
  })

  it('needs address, application and at first a key, where a network server can be asked', () => {
    const remote = { remote: 'tts-v3' as const, remoteApplication: 'Not an id' }
    const settings = { ...emptySettings('mqtt-broker'), ...remote }
    expect(Object.keys(checkConnector('mqtt-broker', true)({ ...base, settings }))).toEqual(
      expect.arrayContaining(['settings.remoteUrl', 'settings.remoteApplication', 'settings.remoteKey']),
    )
    const access = { remoteUrl: 'https://a.example', remoteApplication: 'app1' }
    const stored = settingsFrom('webhook-in', { ...remote, ...access, remoteKey: 'x' })
    expect(stored.remoteKey).toBe('')
    expect(checkConnector('webhook-in', false)({ ...base, settings: stored })).toEqual({})
  })

  it('has no limit while the field is empty', () => {
    expect(settingsFrom('mqtt-broker', { messagesPerSecond: null }).messagesPerSecond).toBe('')
    const limited = settingsFrom('mqtt-broker', { messagesPerSecond: 50 })
    expect(settingsFor(limited)).toMatchObject({ messagesPerSecond: 50 })
    const settings = { ...emptySettings('webhook-in'), messagesPerSecond: 0 }
    expect(Object.keys(checkConnector('webhook-in', true)({ ...base, settings }))).toEqual([
      'settings.messagesPerSecond',
    ])
  })

  it('is checked by the schema of its kind', () => {
    const webhook = emptySettings('webhook-in')
    expect(checkConnector('webhook-in', true)({ ...base, settings: webhook })).toEqual({})
    const broker = emptySettings('mqtt-broker')
    const settings = { ...broker, publishTopics: [] }
    expect(checkConnector('mqtt-broker', true)({ ...base, accountId: null, settings })).toEqual({
      accountId: 'This field is required',
      'settings.username': 'This format is not valid.',
      'settings.publishTopics': 'Add at least one entry.',
      'settings.password': 'This field is required',
    })
    expect(
      checkConnector('mqtt-broker', false)({ ...base, settings: { ...broker, username: 'press' } }),
    ).toEqual({})
    expect(
      checkConnector('webhook-in', true)({ ...base, settings: { ...webhook, preset: 'template' } }),
    ).toEqual({ 'settings.template': 'This field is required' })
  })
})
