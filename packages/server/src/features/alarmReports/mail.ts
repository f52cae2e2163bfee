import { type MailTable, mailKind, type Values } from '../../platform/mail/templates/kind.ts'
import type { Page } from './page.ts'

const overview = (title: string, rows: readonly (readonly string[])[]): MailTable => ({
  title,
  columns: [{ title: '' }, { title: '', right: true }],
  rows,
  note: null,
})

/** A report about the alarms and packets of a smart group. */
export const reportMail = mailKind({
  id: 'alarmReport',
  area: 'alarms',
  title: { de: 'Alarmbericht', en: 'Alarm report' },
  readers: { de: 'Empfänger, die beim Bericht eingetragen sind', en: 'recipients entered in the report' },
  languages: 'spoken',
  variables: {
    title: {
      type: 'text',
      label: { de: 'Betreff des Berichts', en: 'Subject of the report' },
      example: { de: 'Pumpen heute', en: 'Pumps today' },
    },
    text: {
      type: 'lines',
      label: { de: 'Gruppe, Account, Zeitraum und Grund', en: 'Group, account, period and reason' },
      example: {
        de: 'Pumpen – Stadtwerke\n19.11.26, 06:00 bis 20.11.26, 06:00 (Europe/Berlin)',
        en: 'Pumps – City utilities\n19/11/2026, 06:00 to 20/11/2026, 06:00 (Europe/Berlin)',
      },
    },
    tables: {
      type: 'tables',
      label: { de: 'Tabellen des Berichts', en: 'Tables of the report' },
      example: { de: 'Überblick …', en: 'Overview …' },
      exampleTables: {
        de: [
          overview('Überblick', [
            ['Geräte', '24'],
            ['Offene Alarme', '1'],
          ]),
          {
            title: 'Offene Alarme (1)',
            columns: [{ title: 'Stufe' }, { title: 'Meldung' }, { title: 'Gerät' }, { title: 'Seit' }],
            rows: [['Fehler', 'Pegel über 3 m', 'Brücke Nord', '20.11.26, 05:40']],
            note: null,
          },
        ],
        en: [
          overview('Overview', [
            ['Devices', '24'],
            ['Open alarms', '1'],
          ]),
          {
            title: 'Open alarms (1)',
            columns: [{ title: 'Severity' }, { title: 'Message' }, { title: 'Device' }, { title: 'Since' }],
            rows: [['Error', 'Level above 3 m', 'North bridge', '20/11/2026, 05:40']],
            note: null,
          },
        ],
      },
      isRequired: true,
    },
    link: {
      type: 'link',
      label: { de: 'Link zu den Alarmen', en: 'Link to the alarms' },
      example: { de: 'https://iot.example/#/alarm-logs', en: 'https://iot.example/#/alarm-logs' },
    },
  },
  texts: {
    de: {
      subject: '{{title}}',
      body: '# {{title}}\n\n{{text}}\n\n{{tables}}\n\n[In {{product}} ansehen]({{link}})\n\nAutomatischer Alarmbericht',
    },
    en: {
      subject: '{{title}}',
      body: '# {{title}}\n\n{{text}}\n\n{{tables}}\n\n[View in {{product}}]({{link}})\n\nAutomatic alarm report',
    },
  },
})

type ReportValues = Values<keyof typeof reportMail.variables>

/** Pure. What the mail of a report says, in the words that the account has for it. */
export function mailOf({ language, title, lines, tables, link }: Page): {
  kind: typeof reportMail
  language: 'de' | 'en'
  values: ReportValues
} {
  return {
    kind: reportMail,
    language: language === 'de-DE' ? 'de' : 'en',
    values: {
      title,
      text: lines.join('\n'),
      tables: tables.map(({ columns, ...table }) => ({
        ...table,
        columns: columns.map(({ title: heading, right }) => ({
          title: heading,
          ...(right ? { right } : {}),
        })),
      })),
      link: link.url,
    },
  }
}
