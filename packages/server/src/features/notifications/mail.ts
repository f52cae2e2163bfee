import { mailKind } from '../../platform/mail/templates/kind.ts'

/** Tells a user about alarms. */
export const alarmMail = mailKind({
  id: 'alarmNotification',
  area: 'alarms',
  title: { de: 'Benachrichtigung über Alarme', en: 'Notification about alarms' },
  readers: {
    de: 'Benutzer, die sich über Alarme benachrichtigen lassen',
    en: 'users who have asked to be notified about alarms',
  },
  languages: 'spoken',
  variables: {
    title: {
      type: 'text',
      label: { de: 'der Alarm, oder wie viele es sind', en: 'the alarm, or how many there are' },
      example: {
        de: 'Fehler: Pegel über 3 m – Brücke Nord',
        en: 'Error: level above 3 m – North bridge',
      },
    },
    text: {
      type: 'lines',
      label: { de: 'Einzelheiten, eine Zeile für jeden Alarm', en: 'details, a line for each alarm' },
      example: { de: 'Stadtwerke, seit 20.11.26, 08:15', en: 'City utilities, since 20/11/2026, 08:15' },
      isRequired: true,
    },
    link: {
      type: 'link',
      label: { de: 'Link zu den Alarmen', en: 'Link to the alarms' },
      example: {
        de: 'https://iot.example/#/alarm-logs?alarm=1',
        en: 'https://iot.example/#/alarm-logs?alarm=1',
      },
    },
    profile: {
      type: 'link',
      label: {
        de: 'Link, unter dem man Benachrichtigungen ändert',
        en: 'Link to change notifications',
      },
      example: { de: 'https://iot.example/#/user-profile', en: 'https://iot.example/#/user-profile' },
      isRequired: true,
    },
  },
  texts: {
    de: {
      subject: '{{title}}',
      body: '**{{title}}**\n\n{{text}}\n\n[Alarme ansehen]({{link}})\n\nBenachrichtigungen in Ihrem Profil ändern: {{profile}}',
    },
    en: {
      subject: '{{title}}',
      body: '**{{title}}**\n\n{{text}}\n\n[View alarms]({{link}})\n\nChange your notifications in your profile: {{profile}}',
    },
  },
})
