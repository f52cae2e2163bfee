/** A language that mails are written in. */
export type Language = 'de' | 'en'
