import type { AlarmReportLanguage } from '@leitstand/contract/alarmReports'

const inHoursDe = (hours: number) => (hours === 1 ? 'einer Stunde' : `${hours} Stunden`)
const inHoursEn = (hours: number) => (hours === 1 ? 'an hour' : `${hours} hours`)

const de = {
  about: (group: string, account: string) => `${group} – ${account}`,
  period: (from: string, to: string) => `${from} bis ${to}`,
  because: 'Grund',
  conditions: {
    always: 'an jedem der Tage',
    newErrors: 'neue Fehler',
    newErrorsOrWarnings: 'neue Fehler oder Warnungen',
    activeErrors: 'offene Fehler',
    activeErrorsOrWarnings: 'offene Fehler oder Warnungen',
    newThresholdAlarms: 'neue Alarme zu Paketen',
    newAndResolvedThresholdAlarms: 'neue oder beendete Alarme zu Paketen',
  },
  tables: {
    summary: 'Überblick',
    openAlarms: 'Offene Alarme',
    newAlarms: 'Neue Alarme',
    resolvedAlarms: 'Beendete Alarme',
    deviceHealth: 'Geräte mit Fehlern oder Warnungen',
    packets: 'Geräte mit zu wenigen Paketen',
  },
  empty: 'Keine',
  more: (count: string) => `und ${count} weitere`,
  facts: {
    devices: 'Geräte',
    errors: 'Geräte mit Fehlern',
    warnings: 'Geräte mit Warnungen',
    active: 'Geräte, die in 24 Stunden gesendet haben',
    silent: 'Geräte, die seit 24 Stunden schweigen',
    low: 'Geräte unter der Paketschwelle',
    received: (hours: number) => `Empfangene Pakete in ${inHoursDe(hours)}`,
    expected: (hours: number) => `Erwartete Pakete in ${inHoursDe(hours)}`,
    open: 'Offene Alarme',
    unacknowledged: 'davon unbestätigt',
    raised: 'Neue Alarme',
    resolved: 'Beendete Alarme',
  },
  columns: {
    severity: 'Stufe',
    message: 'Meldung',
    device: 'Gerät',
    account: 'Account',
    since: 'Seit',
    until: 'Bis',
    lastSeen: 'Zuletzt gesehen',
    identifier: 'Kennung',
    received: 'Empfangen',
    expected: 'Erwartet',
  },
  severities: { error: 'Fehler', warning: 'Warnung' },
  threshold: (received: string, expected: string, hours: number) =>
    `Zu wenige Pakete: ${received} statt ${expected} in ${inHoursDe(hours)}`,
  never: 'nie',
  unknown: '–',
  view: (product: string) => `In ${product} ansehen`,
  footer: 'Automatischer Alarmbericht',
  page: (page: string, pages: string) => `Seite ${page} von ${pages}`,
  test: 'Test',
}

export type Words = typeof de

const en: Words = {
  about: (group, account) => `${group} – ${account}`,
  period: (from, to) => `${from} to ${to}`,
  because: 'Reason',
  conditions: {
    always: 'on each of these days',
    newErrors: 'new errors',
    newErrorsOrWarnings: 'new errors or warnings',
    activeErrors: 'open errors',
    activeErrorsOrWarnings: 'open errors or warnings',
    newThresholdAlarms: 'new alarms about packets',
    newAndResolvedThresholdAlarms: 'new or resolved alarms about packets',
  },
  tables: {
    summary: 'Overview',
    openAlarms: 'Open alarms',
    newAlarms: 'New alarms',
    resolvedAlarms: 'Resolved alarms',
    deviceHealth: 'Devices with errors or warnings',
    packets: 'Devices with too few packets',
  },
  empty: 'None',
  more: (count) => `and ${count} more`,
  facts: {
    devices: 'Devices',
    errors: 'Devices with errors',
    warnings: 'Devices with warnings',
    active: 'Devices that sent something in 24 hours',
    silent: 'Devices silent for 24 hours',
    low: 'Devices below the packet threshold',
    received: (hours) => `Packets received in ${inHoursEn(hours)}`,
    expected: (hours) => `Packets expected in ${inHoursEn(hours)}`,
    open: 'Open alarms',
    unacknowledged: 'of these unacknowledged',
    raised: 'New alarms',
    resolved: 'Resolved alarms',
  },
  columns: {
    severity: 'Severity',
    message: 'Message',
    device: 'Device',
    account: 'Account',
    since: 'Since',
    until: 'Until',
    lastSeen: 'Last seen',
    identifier: 'Identifier',
    received: 'Received',
    expected: 'Expected',
  },
  severities: { error: 'Error', warning: 'Warning' },
  threshold: (received, expected, hours) =>
    `Too few packets: ${received} instead of ${expected} in ${inHoursEn(hours)}`,
  never: 'never',
  unknown: '–',
  view: (product) => `View in ${product}`,
  footer: 'Automatic alarm report',
  page: (page, pages) => `Page ${page} of ${pages}`,
  test: 'Test',
}

export function wordsIn(language: AlarmReportLanguage): Words {
  return language === 'de-DE' ? de : en
}
