/** Kinds of feedback, as in the recipients an account configures. */
export type Kind = 'bug' | 'featureRequest'

interface Author {
  name: string
  username: string
  email: string
  accountName: string
  language: 'de' | 'en'
  /** what the platform is called for the author */
  product: string
}

const kinds = {
  de: { bug: 'Fehler', featureRequest: 'Vorschlag' },
  en: { bug: 'Bug', featureRequest: 'Suggestion' },
} as const
const from = {
  de: { user: 'Von', account: 'Account' },
  en: { user: 'From', account: 'Account' },
} as const
const headLengthMax = 50

/** The email, in the language of its author. */
export function textOf(
  kind: Kind,
  { subject, content }: { subject: string; content: string },
  { name, username, email, accountName, language, product }: Author,
): { subject: string; body: string } {
  const labels = from[language]
  const head = subject === '' ? (content.split('\n')[0] ?? '').slice(0, headLengthMax) : subject
  const person = name === '' ? username : name
  return {
    subject: `${product}, ${kinds[language][kind]}: ${head}`,
    body: [
      content,
      '',
      '-- ',
      `${labels.user}: ${person} <${email}>`,
      `${labels.account}: ${accountName}`,
    ].join('\n'),
  }
}
