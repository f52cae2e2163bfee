import { type ExportSchedule, ExportScheduleInput } from '@leitstand/contract/exportSchedules'
import { describe, expect, it } from 'vitest'
import { copiedValues, inputOf, missingSecrets, newTarget, newValues, type Values } from './values.ts'

const fresh = (given: Partial<Values> = {}): Values => ({
  ...newValues({ accountId: 3, address: 'ada@example.org', selection: null }),
  title: 'Meter readings',
  ...given,
})
const input = (values: Values) => ExportScheduleInput.parse(inputOf(values, 'de'))

describe('the wizard', () => {
  it('begins with a monthly export of all devices to the user', () => {
    expect(input(fresh())).toMatchObject({
      accountId: 3,
      content: { kind: 'values', selection: { of: 'virtualDevices' }, format: 'xlsx' },
      range: { which: 'last', unit: 'month' },
      frequency: { every: 'month', day: 1, time: '00:15' },
      timeZone: 'Europe/Berlin',
      targets: [{ kind: 'mail', recipients: ['ada@example.org'], attach: 'zip' }],
    })
  })

  it.each([
    [
      { every: 'hour', minute: 7 },
      { every: 'hour', minute: 7 },
    ],
    [
      { every: 'week', weekday: 5 },
      { every: 'week', weekday: 5, time: '00:15' },
    ],
    [
      { every: 'month', day: 'last' },
      { every: 'month', day: 'last', time: '00:15' },
    ],
    [
      { every: 'year', month: 2, day: '29' },
      { every: 'year', month: 2, day: 29, time: '00:15' },
    ],
  ] as const)('says when: %j', (given, frequency) => expect(input(fresh(given)).frequency).toEqual(frequency))

  it('sends what belongs to a kind of target only', () => {
    const sftp = { ...newTarget('sftp'), host: 'files.example.org', username: 'ada', secret: 'geheim' }
    const fingerprint = `SHA256:${'A'.repeat(43)}`
    expect(input(fresh({ targets: [{ ...sftp, fingerprint, topic: 'left/over' }] })).targets).toEqual([
      {
        kind: 'file',
        target: {
          kind: 'sftp',
          host: 'files.example.org',
          port: 22,
          username: 'ada',
          folder: '',
          signIn: 'password',
          fingerprint,
        },
        secret: 'geheim',
      },
    ])
  })

  it('refuses text that is no JSON', () => {
    const through = (forward: string) => ({ ...newTarget('connector'), connectorId: 1, forward })
    const result = (forward: string) =>
      ExportScheduleInput.safeParse(inputOf(fresh({ targets: [through(forward)] }), 'de')).success
    expect([result(''), result('{"plant": "North"}'), result('{'), result('[1]')]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})

describe('a copy', () => {
  const { accountId: _, active, ...rest } = input(fresh())
  const stored: ExportSchedule = {
    ...rest,
    id: 9,
    version: 1,
    accountId: 3,
    accountName: 'City',
    active,
    targets: [
      { kind: 'mail', recipients: ['ada@example.org'], attach: 'link' },
      {
        kind: 'file',
        target: { kind: 'webdav', url: 'https://cloud.example.org/dav', folder: 'x', username: 'ada' },
        hasSecret: true,
      },
    ],
    nextAt: null,
    last: null,
    ownerName: 'ada',
    editable: true,
    createdAt: '2026-06-15T12:00:00.000Z',
  }

  it('says the same as its original, without secrets', () => {
    const values = copiedValues(stored, 'Meter readings (copy)')
    expect(missingSecrets(values)).toEqual([])
    expect(ExportScheduleInput.parse(inputOf(values, 'de', 9))).toEqual({
      ...rest,
      accountId: 3,
      active: true,
      title: 'Meter readings (copy)',
      targets: [
        { kind: 'mail', recipients: ['ada@example.org'], attach: 'link' },
        {
          kind: 'file',
          target: { kind: 'webdav', url: 'https://cloud.example.org/dav', folder: 'x', username: 'ada' },
        },
      ],
      copyOf: 9,
    })
  })

  it('asks for the secrets that are missing', () => {
    expect(
      missingSecrets(fresh({ targets: [newTarget('mail'), newTarget('s3'), newTarget('webdav')] })),
    ).toEqual(['targets.1.secret'])
  })
})
