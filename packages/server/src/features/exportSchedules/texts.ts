import { DateTime } from 'luxon'
import type { Period } from '../exports/index.ts'

interface Facts {
  title: string
  period: string
  /** null: it has none, such as a PDF */
  rows: string | null
}

const de = {
  subject: ({ title, period }: Facts) => `${title}: ${period}`,
  about: ({ title, period, rows }: Facts) =>
    `Der geplante Export „${title}“ ist da.\nZeitraum: ${period}${rows === null ? '' : `\nZeilen: ${rows}`}`,
  attached: (name: string) => `Die Datei ist angehängt: ${name}`,
  linked: (url: string, days: number, tooLarge: boolean) =>
    `${tooLarge ? 'Die Datei ist zu groß für eine E-Mail. ' : ''}Herunterladen: ${url}\n\nDer Link gilt ${days} Tage, auch ohne Anmeldung. Bitte nur an Personen weitergeben, die die Daten sehen dürfen.`,
  failedSubject: (title: string) => `Geplanter Export fehlgeschlagen: ${title}`,
  failed: (title: string, when: string, url: string) =>
    `Der geplante Export „${title}“ vom ${when} ist nicht vollständig angekommen.\n\nBisherige Läufe und Grund: ${url}\n\nErst nach dem nächsten Erfolg wird über ein Scheitern wieder geschrieben.`,
  stopped: 'Der Exportplan wurde deaktiviert, weil sein Besitzer die nötigen Rechte nicht mehr hat.',
}

const en: typeof de = {
  subject: ({ title, period }) => `${title}: ${period}`,
  about: ({ title, period, rows }) =>
    `The scheduled export “${title}” is here.\nPeriod: ${period}${rows === null ? '' : `\nRows: ${rows}`}`,
  attached: (name) => `The file is attached: ${name}`,
  linked: (url, days, tooLarge) =>
    `${tooLarge ? 'The file is too large for an email. ' : ''}Download: ${url}\n\nThe link is valid for ${days} days, without signing in. Please pass it on only to people who may see the data.`,
  failedSubject: (title) => `Scheduled export failed: ${title}`,
  failed: (title, when, url) =>
    `The scheduled export “${title}” of ${when} has not fully arrived.\n\nPrevious runs and reason: ${url}\n\nThere is no other email about a failure until it has succeeded again.`,
  stopped: 'The export schedule was disabled, because its owner no longer has the permissions it needs.',
}

export function wordsIn(language: 'de' | 'en'): typeof de {
  return language === 'de' ? de : en
}

/** A period as people write it, in the zone of the schedule. */
export function periodText({ startMs, endMs }: Period, timeZone: string, language: 'de' | 'en'): string {
  const [start, end] = [timeText(startMs, timeZone, language), timeText(endMs, timeZone, language)]
  return language === 'de' ? `${start} bis ${end}` : `${start} to ${end}`
}

export function timeText(timeMs: number, timeZone: string, language: 'de' | 'en'): string {
  return DateTime.fromMillis(timeMs, {
    zone: timeZone,
    locale: language === 'de' ? 'de-DE' : 'en-GB',
  }).toFormat(language === 'de' ? 'dd.MM.yyyy HH:mm' : 'dd MMM yyyy HH:mm')
}
