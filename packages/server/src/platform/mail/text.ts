export interface MailText {
  subject: string
  /** `{secret}` is replaced by the link */
  body: string
}

export type Language = 'de' | 'en'
