import type {
  AlarmReport,
  AlarmReportCondition,
  AlarmReportInput,
  AlarmReportTable,
} from '@leitstand/contract/alarmReports'

/** What is entered in the wizard. */
export interface Values {
  accountId: string | null
  title: string
  groupId: string | null
  type: AlarmReport['type']
  /** sent on each of its days, or only if one of the conditions is met */
  always: boolean
  conditions: AlarmReportCondition[]
  weekdays: number[]
  timeZone: string
  language: AlarmReport['language']
  subject: string
  tables: AlarmReportTable[]
  period: AlarmReport['period']
  byMail: boolean
  recipients: string[]
  way: 'none' | 'webhook' | 'broker'
  connectorId: number | null
  topic: string
  active: boolean
}

/** The conditions of a type besides `always`. */
export const conditionsOfType = {
  device: ['newErrors', 'newErrorsOrWarnings', 'activeErrors', 'activeErrorsOrWarnings'],
  packetMonitoring: ['newThresholdAlarms', 'newAndResolvedThresholdAlarms'],
} as const satisfies Record<AlarmReport['type'], readonly AlarmReportCondition[]>

const usualConditions = {
  device: ['activeErrorsOrWarnings'],
  packetMonitoring: ['newAndResolvedThresholdAlarms'],
} as const satisfies Record<AlarmReport['type'], readonly AlarmReportCondition[]>

/** The tables that a type offers: packets are no matter of health. */
export const tablesOfType = {
  device: ['summary', 'openAlarms', 'newAlarms', 'resolvedAlarms', 'deviceHealth', 'packets'],
  packetMonitoring: ['summary', 'openAlarms', 'newAlarms', 'resolvedAlarms', 'packets'],
} as const satisfies Record<AlarmReport['type'], readonly AlarmReportTable[]>

const usualTables = {
  device: ['summary', 'openAlarms', 'deviceHealth'],
  packetMonitoring: ['summary', 'packets', 'openAlarms'],
} as const satisfies Record<AlarmReport['type'], readonly AlarmReportTable[]>

interface Usual {
  accountId: number | null
  groupId: number | null
  language: AlarmReport['language']
  timeZone: string
  address: string
}

/** The fields of a new report. */
export function newValues({ accountId, groupId, language, timeZone, address }: Usual): Values {
  return {
    accountId: accountId === null ? null : String(accountId),
    title: '',
    groupId: groupId === null ? null : String(groupId),
    type: 'device',
    always: false,
    conditions: [...usualConditions.device],
    weekdays: [1, 2, 3, 4, 5, 6, 7],
    timeZone,
    language,
    subject: '',
    tables: [...usualTables.device],
    period: 'day',
    byMail: true,
    recipients: address === '' ? [] : [address],
    way: 'none',
    connectorId: null,
    topic: '',
    active: true,
  }
}

/** The fields of a report. @param title of a copy */
export function valuesOf(report: AlarmReport, title = report.title): Values {
  const conditions = report.conditions.filter((each) => each !== 'always')
  const always = report.conditions.includes('always')
  return {
    accountId: String(report.accountId),
    title,
    groupId: report.groupId === null ? null : String(report.groupId),
    type: report.type,
    always,
    conditions,
    weekdays: report.weekdays,
    timeZone: report.timeZone,
    language: report.language,
    subject: report.subject,
    tables: report.tables,
    period: report.period,
    byMail: report.recipients.length > 0,
    recipients: report.recipients,
    way: report.topic !== null ? 'broker' : report.connectorId !== null ? 'webhook' : 'none',
    connectorId: report.connectorId,
    topic: report.topic ?? '',
    active: report.active,
  }
}

type Unchecked = { [field in keyof AlarmReportInput]: unknown }

/** The input of the operations, to be checked; fields of other choices are left out. */
export function inputOf(values: Values): Unchecked {
  const { way } = values
  return {
    accountId: values.accountId === null ? null : Number(values.accountId),
    title: values.title,
    groupId: values.groupId === null ? null : Number(values.groupId),
    type: values.type,
    conditions: values.always
      ? ['always']
      : conditionsOfType[values.type].filter((each) => values.conditions.includes(each)),
    language: values.language,
    subject: values.subject,
    tables: tablesOfType[values.type].filter((table) => values.tables.includes(table)),
    period: values.period,
    weekdays: values.weekdays,
    timeZone: values.timeZone,
    recipients: values.byMail ? values.recipients : [],
    connectorId: way === 'none' ? null : values.connectorId,
    topic: way === 'broker' ? values.topic : null,
    active: values.active,
  }
}

/** What is read for the preview: only what decides about the content, so that it does not change with the rest. */
export function previewOf(values: Values): Unchecked {
  return {
    ...inputOf(values),
    title: values.title.trim() || '–',
    subject: values.subject.trim() || values.title.trim() || '–',
    recipients: [],
    connectorId: null,
    topic: null,
    weekdays: [1],
  }
}

/** The change to another type: its usual conditions; its usual tables, if those of the old one were still the usual ones. */
export function typeChange(values: Values, type: Values['type']): Partial<Values> {
  const before: readonly string[] = usualTables[values.type]
  const isUsual =
    before.length === values.tables.length && values.tables.every((each) => before.includes(each))
  const conditions = [...usualConditions[type]]
  return isUsual ? { type, conditions, tables: [...usualTables[type]] } : { type, conditions }
}

/** Where something is missing that the contract does not name: no way out of the platform is chosen, or none is complete. */
export function missingIn(
  values: Values,
): Partial<Record<'recipients' | 'connectorId' | 'topic' | 'way', true>> {
  const { byMail, recipients, way, connectorId, topic } = values
  return {
    ...(byMail && recipients.length === 0 ? { recipients: true as const } : {}),
    ...(!byMail && way === 'none' ? { way: true as const } : {}),
    ...(way !== 'none' && connectorId === null ? { connectorId: true as const } : {}),
    ...(way === 'broker' && topic.trim() === '' ? { topic: true as const } : {}),
  }
}

/** The step of the wizard at which a field is. */
export const fieldsOfStep = {
  what: ['accountId', 'title', 'groupId', 'type'],
  when: ['conditions', 'weekdays', 'timeZone', 'period'],
  content: ['language', 'subject', 'tables'],
  who: ['recipients', 'way', 'connectorId', 'topic'],
} as const

/** An account with all below it. */
export function withBelow(
  accounts: readonly { id: number; parentId: number | null }[],
  id: number,
): number[] {
  const found = new Set([id])
  // Parents may come after their children.
  for (let before = 0; before !== found.size; ) {
    before = found.size
    for (const account of accounts)
      if (account.parentId !== null && found.has(account.parentId)) found.add(account.id)
  }
  return [...found]
}
