import { mailKind, type Variable } from '../../platform/mail/templates/kind.ts'

const title: Variable = {
  type: 'text',
  label: { de: 'Titel des Exportplans', en: 'Title of the export schedule' },
  example: { de: 'Zählerstände', en: 'Meter readings' },
}

/** The file of an export schedule, or a link to it. */
export const deliveryMail = mailKind({
  id: 'scheduledExport',
  area: 'exports',
  title: { de: 'Geplanter Export', en: 'Scheduled export' },
  readers: { de: 'die Empfänger des Exportplans', en: 'the recipients of the export schedule' },
  languages: 'spoken',
  variables: {
    title,
    period: {
      type: 'text',
      label: { de: 'Zeitraum der Daten', en: 'Period of the data' },
      example: {
        de: '01.11.2026 00:00 bis 08.11.2026 00:00',
        en: '01 Nov 2026 00:00 to 08 Nov 2026 00:00',
      },
    },
    rows: {
      type: 'text',
      label: { de: 'Anzahl der Zeilen; eine PDF-Datei hat keine', en: 'Number of rows; a PDF file has none' },
      example: { de: '3.024', en: '3,024' },
    },
    file: {
      type: 'text',
      label: { de: 'Name der angehängten Datei', en: 'Name of the attached file' },
      example: { de: '', en: '' },
    },
    tooLarge: {
      type: 'flag',
      label: {
        de: 'ob die Datei zu groß zum Anhängen war',
        en: 'whether the file was too large to be attached',
      },
      example: { de: '', en: '' },
    },
    link: {
      type: 'link',
      label: { de: 'Link zum Herunterladen', en: 'Link for the download' },
      example: { de: 'https://iot.example/api/files/beispiel', en: 'https://iot.example/api/files/example' },
    },
    days: {
      type: 'text',
      label: { de: 'wie viele Tage der Link gilt', en: 'how many days the link is valid' },
      example: { de: '14', en: '14' },
    },
  },
  texts: {
    de: {
      subject: '{{title}}: {{period}}',
      body: [
        'Der geplante Export „{{title}}“ ist da.',
        'Zeitraum: {{period}}',
        '{{#rows}}',
        'Zeilen: {{rows}}',
        '{{/rows}}',
        '',
        '{{#file}}',
        'Die Datei ist angehängt: {{file}}',
        '{{/file}}',
        '{{#link}}',
        '{{#tooLarge}}',
        'Die Datei ist zu groß für eine E-Mail.',
        '',
        '{{/tooLarge}}',
        '[Herunterladen]({{link}})',
        '',
        'Der Link gilt {{days}} Tage, auch ohne Anmeldung. Bitte nur an Personen weitergeben, die die Daten sehen dürfen.',
        '{{/link}}',
      ].join('\n'),
    },
    en: {
      subject: '{{title}}: {{period}}',
      body: [
        'The scheduled export “{{title}}” is here.',
        'Period: {{period}}',
        '{{#rows}}',
        'Rows: {{rows}}',
        '{{/rows}}',
        '',
        '{{#file}}',
        'The file is attached: {{file}}',
        '{{/file}}',
        '{{#link}}',
        '{{#tooLarge}}',
        'The file is too large for an email.',
        '',
        '{{/tooLarge}}',
        '[Download]({{link}})',
        '',
        'The link is valid for {{days}} days, without signing in. Please pass it on only to people who may see the data.',
        '{{/link}}',
      ].join('\n'),
    },
  },
})

/** Tells the owner that a run has failed. */
export const failedMail = mailKind({
  id: 'scheduledExportFailed',
  area: 'exports',
  title: { de: 'Geplanter Export fehlgeschlagen', en: 'Scheduled export failed' },
  readers: { de: 'die Person, der der Exportplan gehört', en: 'the owner of the export schedule' },
  languages: 'spoken',
  variables: {
    title,
    time: {
      type: 'text',
      label: { de: 'Zeitpunkt des Laufs', en: 'Time of the run' },
      example: { de: '08.11.2026 06:00', en: '08 Nov 2026 06:00' },
    },
    link: {
      type: 'link',
      label: { de: 'Link zu den Läufen', en: 'Link to the runs' },
      example: {
        de: 'https://iot.example/#/scheduled-exports?history=7',
        en: 'https://iot.example/#/scheduled-exports?history=7',
      },
    },
    stopped: {
      type: 'flag',
      label: {
        de: 'ob der Exportplan deaktiviert wurde',
        en: 'whether the export schedule was disabled',
      },
      example: { de: '', en: '' },
    },
  },
  texts: {
    de: {
      subject: 'Geplanter Export fehlgeschlagen: {{title}}',
      body: [
        'Der geplante Export „{{title}}“ vom {{time}} ist nicht vollständig angekommen.',
        '',
        '[Bisherige Läufe und Grund]({{link}})',
        '',
        'Erst nach dem nächsten Erfolg wird über ein Scheitern wieder geschrieben.',
        '{{#stopped}}',
        '',
        'Der Exportplan wurde deaktiviert, weil sein Besitzer die nötigen Rechte nicht mehr hat.',
        '{{/stopped}}',
      ].join('\n'),
    },
    en: {
      subject: 'Scheduled export failed: {{title}}',
      body: [
        'The scheduled export “{{title}}” of {{time}} has not fully arrived.',
        '',
        '[Previous runs and reason]({{link}})',
        '',
        'There is no other email about a failure until it has succeeded again.',
        '{{#stopped}}',
        '',
        'The export schedule was disabled, because its owner no longer has the permissions it needs.',
        '{{/stopped}}',
      ].join('\n'),
    },
  },
})
