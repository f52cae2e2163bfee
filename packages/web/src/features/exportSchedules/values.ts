import type {
  ExportFrequency,
  ExportSchedule,
  ExportScheduleInput,
  ExportTarget,
} from '@leitstand/contract/exportSchedules'
import type { ExportSelection } from '@leitstand/contract/exports'
import type { FileTargetKind } from '@leitstand/contract/fileTargets'
import { valuesOf as exportValuesOf, type FormValues, initialValues, requestOf } from '../exports/index.ts'

/** A target as it is entered; fields of other kinds keep what was entered there. */
export interface TargetValues {
  kind: 'mail' | 'connector' | FileTargetKind
  recipients: string[]
  attach: 'zip' | 'link'
  way: 'webhook' | 'broker'
  connectorId: number | null
  topic: string
  /** JSON as text; empty: none */
  forward: string
  host: string
  port: number | string
  username: string
  folder: string
  signIn: 'password' | 'privateKey'
  fingerprint: string
  endpoint: string
  region: string
  bucket: string
  accessKeyId: string
  addressing: 'path' | 'host'
  url: string
  secret: string
  /** the secret of the schedule that is copied is kept unless another one is entered */
  hasSecret: boolean
}

/** What is entered in the wizard. */
export interface Values {
  accountId: string | null
  title: string
  selection: ExportSelection
  /** instead of values: a dashboard as PDF; empty: none is chosen yet */
  dashboardId: string | null
  /** values and file; its title and period are not used */
  file: FormValues
  timeZone: string
  every: ExportFrequency['every']
  minute: number | string
  time: string
  weekday: number
  day: string
  month: number
  range: string
  targets: TargetValues[]
}

export const targetKinds = ['mail', 'sftp', 's3', 'webdav', 'connector'] as const

export function newTarget(kind: TargetValues['kind'], address = ''): TargetValues {
  return {
    kind,
    recipients: kind === 'mail' && address !== '' ? [address] : [],
    attach: 'zip',
    way: 'webhook',
    connectorId: null,
    topic: '',
    forward: '',
    host: '',
    port: 22,
    username: '',
    folder: '',
    signIn: 'password',
    fingerprint: '',
    endpoint: '',
    region: 'us-east-1',
    bucket: '',
    accessKeyId: '',
    addressing: 'path',
    url: '',
    secret: '',
    hasSecret: false,
  }
}

/** The fields of a new schedule. */
export function newValues({
  accountId,
  address,
  selection,
}: {
  accountId: number | null
  address: string
  selection: ExportSelection | null
}): Values {
  return {
    accountId: accountId === null ? null : String(accountId),
    title: '',
    selection: selection ?? { of: 'virtualDevices', filter: {} },
    dashboardId: null,
    file: initialValues('', 'Europe/Berlin'),
    timeZone: 'Europe/Berlin',
    every: 'month',
    minute: 5,
    time: '00:15',
    weekday: 1,
    day: '1',
    month: 1,
    range: 'last month',
    targets: [newTarget('mail', address)],
  }
}

/** The fields of a copy. */
export function copiedValues(schedule: ExportSchedule, title: string): Values {
  const { content, range, frequency, timeZone, targets, accountId } = schedule
  const usual = newValues({ accountId, address: '', selection: null })
  return {
    ...usual,
    title: title.slice(0, 100),
    ...contentValues(content, { title, range }),
    timeZone,
    ...frequencyFields(usual, frequency),
    range: `${range.which} ${range.unit}`,
    targets: targets.map(targetValues),
  }
}

function contentValues(
  content: ExportSchedule['content'],
  { title, range }: Pick<ExportSchedule, 'title' | 'range'>,
): Partial<Values> {
  if (content.kind === 'dashboard') return { dashboardId: String(content.dashboardId) }
  const { kind: _, ...options } = content
  return {
    selection: content.selection,
    file: exportValuesOf({ ...options, title, range, notify: false }),
  }
}

function frequencyFields(usual: Values, frequency: ExportFrequency): Partial<Values> {
  const { every } = frequency
  if (every === 'hour') return { every, minute: frequency.minute }
  return {
    every,
    time: frequency.time,
    weekday: every === 'week' ? frequency.weekday : usual.weekday,
    day: every === 'month' || every === 'year' ? String(frequency.day) : usual.day,
    month: every === 'year' ? frequency.month : usual.month,
  }
}

function targetValues(target: ExportTarget): TargetValues {
  switch (target.kind) {
    case 'mail':
      return { ...newTarget('mail'), recipients: target.recipients, attach: target.attach }
    case 'connector': {
      const { connectorId, connectorName, topic, forward } = target
      return {
        ...newTarget('connector'),
        way: topic === null ? 'webhook' : 'broker',
        connectorId: connectorName === null ? null : connectorId,
        topic: topic ?? '',
        forward: forward === null ? '' : JSON.stringify(forward, null, 2),
      }
    }
    case 'file': {
      const { kind, ...fields } = target.target
      const username = 'username' in fields ? (fields.username ?? '') : ''
      return { ...newTarget(kind), ...fields, username, hasSecret: target.hasSecret }
    }
  }
}

type Unchecked = { [field in keyof ExportScheduleInput]?: unknown }

/** The input of the operation, to be checked. @param copyOf the schedule that is copied */
export function inputOf(values: Values, language: 'de' | 'en', copyOf?: number): Unchecked {
  const { timeZone } = values
  const [which, unit] = values.range.split(' ')
  return {
    accountId: values.accountId === null ? null : Number(values.accountId),
    title: values.title,
    content: contentOf(values, language),
    range: { which, unit },
    frequency: frequencyOf(values),
    timeZone,
    active: true,
    targets: values.targets.map(targetOf),
    ...(copyOf === undefined ? {} : { copyOf }),
  }
}

function contentOf({ dashboardId, selection, file, timeZone, range }: Values, language: 'de' | 'en') {
  if (dashboardId !== null)
    return { kind: 'dashboard', dashboardId: dashboardId === '' ? null : Number(dashboardId), language }
  const {
    title: _,
    range: __,
    notify: ___,
    ...content
  } = requestOf({ ...file, timeZone, range }, selection, language)
  return { kind: 'values', ...content }
}

export function frequencyOf({ every, minute, time, weekday, day, month }: Values) {
  switch (every) {
    case 'hour':
      return { every, minute }
    case 'day':
      return { every, time }
    case 'week':
      return { every, time, weekday }
    case 'month':
      return { every, time, day: day === 'last' ? day : Number(day) }
    case 'year':
      return { every, time, month, day: Number(day) }
  }
}

function targetOf(target: TargetValues) {
  switch (target.kind) {
    case 'mail':
      return { kind: 'mail', recipients: target.recipients, attach: target.attach }
    case 'connector':
      return {
        kind: 'connector',
        connectorId: target.connectorId,
        topic: target.way === 'broker' ? target.topic : null,
        forward: target.forward.trim() === '' ? null : parsed(target.forward),
      }
    default:
      return { kind: 'file', target: fileTargetOf(target), ...secretOf(target) }
  }
}

const secretOf = ({ secret }: TargetValues) => (secret === '' ? {} : { secret })

/** A server that takes files, to be checked. */
export function fileTargetOf(target: TargetValues) {
  const { kind, folder, username } = target
  switch (kind) {
    case 'sftp': {
      const { host, port, signIn, fingerprint } = target
      return { kind, host, port, username, folder, signIn, fingerprint }
    }
    case 's3': {
      const { endpoint, region, bucket, accessKeyId, addressing } = target
      return { kind, endpoint, region, bucket, folder, accessKeyId, addressing }
    }
    default:
      return { kind: 'webdav', url: target.url, folder, username: username === '' ? null : username }
  }
}

/** JSON of a text; the text itself if it is none, which the check of the form then finds. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

/** The steps of the wizard with the paths of their fields. */
export const pathsOfStep = {
  what: ['accountId', 'title', 'content.selection', 'content.dashboardId'],
  when: ['timeZone', 'frequency', 'range'],
  values: ['content.stateKeys', 'content.values'],
  where: ['targets'],
  file: ['content'],
} as const

/** Where a secret is missing that the server would ask for. */
export function missingSecrets({ targets }: Values): string[] {
  return targets.flatMap((target, at) => {
    const isFile = target.kind !== 'mail' && target.kind !== 'connector'
    const isNeeded = isFile && (target.kind !== 'webdav' || target.username !== '')
    return isNeeded && target.secret === '' && !target.hasSecret ? [`targets.${at}.secret`] : []
  })
}
