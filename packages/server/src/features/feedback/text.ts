import { mailKind } from '../../platform/mail/templates/kind.ts'

/** Kinds of feedback, as in the recipients an account configures. */
export type Kind = 'bug' | 'featureRequest'

interface Author {
  name: string
  username: string
  email: string
  accountName: string
  language: 'de' | 'en'
}

const kinds = {
  de: { bug: 'Fehler', featureRequest: 'Vorschlag' },
  en: { bug: 'Bug', featureRequest: 'Suggestion' },
} as const
const headLengthMax = 50

/** What a user has written about the platform. */
export const feedbackMail = mailKind({
  id: 'feedback',
  area: 'feedback',
  title: { de: 'Feedback', en: 'Feedback' },
  readers: {
    de: 'die Empfänger von Feedback, in der Sprache des Absenders',
    en: 'the recipients of feedback, in the language of its author',
  },
  languages: 'spoken',
  variables: {
    type: {
      type: 'text',
      label: { de: 'Fehler oder Vorschlag', en: 'Bug or suggestion' },
      example: { de: 'Vorschlag', en: 'Suggestion' },
    },
    title: {
      type: 'text',
      label: { de: 'Titel oder Anfang des Textes', en: 'Title or beginning of the text' },
      example: { de: 'Karte im Vollbild', en: 'Map in full screen' },
    },
    text: {
      type: 'lines',
      label: { de: 'Text', en: 'Text' },
      example: {
        de: 'Die Karte sollte auch im Vollbild zu sehen sein.',
        en: 'It should be possible to see the map in full screen.',
      },
      isRequired: true,
    },
    author: {
      type: 'text',
      label: { de: 'Name der Person', en: 'Name of the person' },
      example: { de: 'Ada Lovelace', en: 'Ada Lovelace' },
    },
    email: {
      type: 'text',
      label: { de: 'E-Mail-Adresse der Person', en: 'Email address of the person' },
      example: { de: 'ada@stadt.example', en: 'ada@city.example' },
    },
    account: {
      type: 'text',
      label: { de: 'Account der Person', en: 'Account of the person' },
      example: { de: 'Stadtwerke', en: 'City utilities' },
    },
  },
  texts: {
    de: {
      subject: '{{product}}, {{type}}: {{title}}',
      body: '{{text}}\n\n--\nVon: {{author}} <{{email}}>\nAccount: {{account}}',
    },
    en: {
      subject: '{{product}}, {{type}}: {{title}}',
      body: '{{text}}\n\n--\nFrom: {{author}} <{{email}}>\nAccount: {{account}}',
    },
  },
})

/** The variables of the mail, in the language of its author. */
export function valuesOf(
  kind: Kind,
  { subject, content }: { subject: string; content: string },
  { name, username, email, accountName, language }: Author,
) {
  return {
    type: kinds[language][kind],
    title: subject === '' ? (content.split('\n')[0] ?? '').slice(0, headLengthMax) : subject,
    text: content,
    author: name === '' ? username : name,
    email,
    account: accountName,
  }
}
