export interface MailText {
  subject: string
  /** `{secret}` stands for the link */
  body: string
}

export type Language = 'de' | 'en'
