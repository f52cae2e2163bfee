import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { kinds as parserKinds } from '../drivers/parser/kinds/index.ts'
import { startingSample } from './samples.ts'
import { emptyCommon, emptyRemote, remoteSecrets, settingsFor, templateStart } from './settings.ts'

describe('settings as they are sent', () => {
  test.each([
    ['', null],
    [0, 0],
    [50, 50],
  ])('a limit of %j messages is sent as %j', (messagesPerSecond, sent) => {
    expect(settingsFor({ ...emptyCommon(), messagesPerSecond }).messagesPerSecond).toBe(sent)
  })

  test.each([
    ['template', 'module.exports = …'],
    ['standard', ''],
    ['tts-v3', ''],
    ['chirpstack-v4', ''],
  ] as const)('the template of the preset %s is sent as %j', (preset, sent) => {
    const values = { ...emptyCommon(), preset, template: 'module.exports = …' }
    expect(settingsFor(values).template).toBe(sent)
    // What was written stays in the form, in case the user comes back to it.
    expect(values.template).toBe('module.exports = …')
  })
})

test.each([
  ['none', false],
  ['tts-v3', true],
  ['chirpstack-v4', true],
] as const)('the network server %s has a key: %s', (remote, needed) => {
  expect(remoteSecrets({ ...emptyRemote(), remote })).toEqual({ remoteKey: needed })
})

describe('the text that an editor begins with', () => {
  test('is a template that reads the example of its tester', () => {
    const context = { module: { exports: (_: unknown): unknown => undefined } }
    runInNewContext(templateStart, context)
    expect(context.module.exports(JSON.parse(startingSample('template')))).toEqual({
      identifier: 'press-7',
      data: { temperature: 21.5 },
    })
  })

  test('is a driver that decodes bytes', () => {
    const context: { Buffer: typeof Buffer; decodeUplink?: (input: object) => unknown } = { Buffer }
    runInNewContext(parserKinds.function.scriptStart ?? '', context)
    const decoded = context.decodeUplink?.({ bytes: [0xff, 0xe2, 0x60], fPort: 1, recvTime: new Date() })
    expect(decoded).toEqual({ data: { temperature: -3, humidity: 48 } })
  })
})
