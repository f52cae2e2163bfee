import { type AlarmReport, AlarmReportInput } from '@leitstand/contract/alarmReports'
import { describe, expect, it } from 'vitest'
import { inputOf, missingIn, newValues, typeChange, valuesOf, withBelow } from './values.ts'

const start = newValues({
  accountId: 3,
  groupId: 7,
  language: 'de-DE',
  timeZone: 'Europe/Berlin',
  address: 'ada@example.org',
})
const filled = { ...start, title: 'Daily', subject: 'Pumps' }

describe('the fields of the wizard', () => {
  it('begin with what is usual', () => {
    expect(AlarmReportInput.parse(inputOf(filled))).toMatchObject({
      accountId: 3,
      groupId: 7,
      conditions: ['activeErrorsOrWarnings'],
      recipients: ['ada@example.org'],
      connectorId: null,
      topic: null,
    })
  })

  it('leave out what was not chosen', () => {
    const input = inputOf({
      ...filled,
      always: true,
      byMail: false,
      way: 'webhook',
      connectorId: 4,
      topic: 'a',
    })
    expect(input).toMatchObject({ conditions: ['always'], recipients: [], connectorId: 4, topic: null })
    expect(inputOf({ ...filled, connectorId: 4 }).connectorId).toBe(null)
  })

  it('are those of a report again', () => {
    const input = AlarmReportInput.parse(
      inputOf({ ...filled, way: 'broker', connectorId: 4, topic: 'reports/daily' }),
    )
    const report = { ...input, id: 1 } as unknown as AlarmReport
    expect(AlarmReportInput.parse(inputOf(valuesOf(report)))).toEqual(input)
    expect(valuesOf(report, 'Copy').title).toBe('Copy')
  })

  it('say what is missing', () => {
    expect(missingIn(filled)).toEqual({})
    expect(missingIn({ ...filled, recipients: [] })).toEqual({ recipients: true })
    expect(missingIn({ ...filled, byMail: false })).toEqual({ way: true })
    expect(missingIn({ ...filled, way: 'broker' })).toEqual({ connectorId: true, topic: true })
  })

  it('take the usual tables of another type, unless others were chosen', () => {
    expect(typeChange(filled, 'packetMonitoring').tables).toEqual(['summary', 'packets', 'openAlarms'])
    expect(typeChange({ ...filled, tables: ['summary'] }, 'packetMonitoring')).toEqual({
      type: 'packetMonitoring',
      conditions: ['newAndResolvedThresholdAlarms'],
    })
    expect(inputOf({ ...filled, type: 'packetMonitoring' }).tables).toEqual(['summary', 'openAlarms'])
  })
})

it('groups are those of the account and of accounts below it', () => {
  const accounts = [
    { id: 4, parentId: 3 },
    { id: 3, parentId: 2 },
    { id: 2, parentId: 1 },
    { id: 1, parentId: null },
    { id: 5, parentId: 1 },
  ]
  expect(withBelow(accounts, 2).sort()).toEqual([2, 3, 4])
})
