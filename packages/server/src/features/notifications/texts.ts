import { notificationLimits } from '@leitstand/contract/alarmNotifications'
import type { Alarm } from '@leitstand/contract/alarms'
import type { Language } from '../../platform/mail/text.ts'
import type { Told } from './match.ts'

/** An alarm and what happened to it. */
export interface Notice {
  what: Told
  alarm: Pick<
    Alarm,
    | 'id'
    | 'severity'
    | 'source'
    | 'message'
    | 'details'
    | 'originTitle'
    | 'accountName'
    | 'raisedAt'
    | 'resolvedAt'
  >
}

export interface Message {
  title: string
  body: string
  /** page of the console, e.g. `/alarm-logs?alarm=1` */
  path: string
}

const lineLengthMax = 200
const { namedMax } = notificationLimits

const words = {
  de: {
    severities: { error: 'Fehler', warning: 'Warnung' },
    told: {
      raised: '',
      awake: 'Wieder offen: ',
      severity: 'Schlimmer geworden: ',
      resolved: 'Beendet: ',
      assigned: 'Für Sie: ',
    },
    platform: 'Plattform',
    alarms: (count: number) => `${count} Meldungen zu Alarmen`,
    more: (count: number) => (count === 1 ? 'und eine weitere Meldung' : `und ${count} weitere Meldungen`),
    since: (time: string) => `seit ${time}`,
    from: (from: string, to: string) => `${from} bis ${to}`,
    threshold: (received: string, expected: string, hours: number) =>
      `Zu wenige Pakete: ${received} statt ${expected} in ${hours === 1 ? 'einer Stunde' : `${hours} Stunden`}`,
    platformReasons: {
      disk: 'Der Speicherplatz wird knapp',
      database: 'Die Datenbank ist langsam',
      databaseGone: 'Die Datenbank war nicht erreichbar',
      replica: 'Das Lesereplikat wird nicht genutzt',
      events: 'Änderungen werden verspätet verarbeitet',
      eventLoop: 'Der Server ist überlastet',
    },
  },
  en: {
    severities: { error: 'Error', warning: 'Warning' },
    told: {
      raised: '',
      awake: 'Open again: ',
      severity: 'Got worse: ',
      resolved: 'Resolved: ',
      assigned: 'For you: ',
    },
    platform: 'Platform',
    alarms: (count: number) => `${count} messages about alarms`,
    more: (count: number) => (count === 1 ? 'and one more message' : `and ${count} more messages`),
    since: (time: string) => `since ${time}`,
    from: (from: string, to: string) => `${from} to ${to}`,
    threshold: (received: string, expected: string, hours: number) =>
      `Too few packets: ${received} instead of ${expected} in ${hours === 1 ? 'an hour' : `${hours} hours`}`,
    platformReasons: {
      disk: 'Disk space is running out',
      database: 'The database is slow',
      databaseGone: 'The database could not be reached',
      replica: 'The read replica is not used',
      events: 'Changes are processed late',
      eventLoop: 'The server is overloaded',
    },
  },
} as const satisfies Record<Language, unknown>

/**
 * The message to a user, in their language: one alarm, or a list of them.
 * @param left notices that are counted only
 */
export function messageFor(
  notices: readonly Notice[],
  left: number,
  { language, timeZone }: { language: Language; timeZone: string },
): Message {
  const text = words[language]
  const [first] = notices
  const format = new Intl.DateTimeFormat(language === 'de' ? 'de-DE' : 'en-GB', {
    dateStyle: 'short',
    timeStyle: 'short',
    timeZone,
  })
  const line = ({ what, alarm }: Notice): string => {
    const place = alarm.originTitle || text.platform
    return oneLine(
      `${text.told[what]}${text.severities[alarm.severity]}: ${sayingOf(alarm, language)} – ${place}`,
    )
  }
  const time = ({ alarm }: Notice): string => {
    const since = format.format(new Date(alarm.raisedAt))
    return alarm.resolvedAt === null
      ? text.since(since)
      : text.from(since, format.format(new Date(alarm.resolvedAt)))
  }
  if (first !== undefined && notices.length === 1 && left === 0)
    return {
      title: line(first),
      body: `${oneLine(first.alarm.accountName)}, ${time(first)}`,
      path: `/alarm-logs?alarm=${first.alarm.id}`,
    }
  const named = notices.slice(0, namedMax)
  const rest = notices.length - named.length + left
  return {
    title: text.alarms(notices.length + left),
    body: [
      ...named.map((notice) => `${line(notice)}, ${time(notice)}`),
      ...(rest > 0 ? [text.more(rest)] : []),
    ].join('\n'),
    path: '/alarm-logs?status=unresolved',
  }
}

/** What an alarm says: in the reader's language where the platform itself says it. */
function sayingOf({ source, message, details }: Notice['alarm'], language: Language): string {
  const { received, expected, hours, reason } = details
  if (source === 'platform') {
    const reasons: Readonly<Record<string, string>> = words[language].platformReasons
    return (typeof reason === 'string' && Object.hasOwn(reasons, reason) && reasons[reason]) || message
  }
  if (source !== 'packet-threshold' || received === undefined) return message
  const number = (value: unknown) => Number(value).toLocaleString(language)
  return words[language].threshold(number(received), number(expected), Number(hours))
}

/** Texts of users and devices are lines here: no breaks, no endless ones. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, lineLengthMax).toWellFormed()
}
