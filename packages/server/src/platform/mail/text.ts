export interface MailText {
  /** `{product}` is replaced by what the platform is called, see `named` */
  subject: string
  /** the same; `{secret}` is replaced by the link */
  body: string
}

export type Language = 'de' | 'en'

/** Pure. A fixed text with the name of the platform in it; call it before anything of users is added. */
export function named({ subject, body }: MailText, product: string): MailText {
  const put = (text: string) => text.replaceAll('{product}', () => product)
  return { subject: put(subject), body: put(body) }
}
