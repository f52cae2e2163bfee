import type { Language, MailText } from '../../../platform/mail/text.ts'

/** The language a user has chosen in the console; German by default. */
export function languageOf(properties: unknown): Language {
  const defaults = (properties as { userDefaults?: { language?: unknown } } | null)?.userDefaults
  return defaults?.language === 'en' ? 'en' : 'de'
}

export const forgottenMail: Readonly<Record<Language, MailText>> = {
  de: {
    subject: '{product}: neues Passwort setzen',
    body: [
      'Guten Tag,',
      '',
      'für Ihren Zugang wurde ein neues Passwort angefordert. Mit diesem Link setzen Sie es:',
      '',
      '{secret}',
      '',
      'Der Link gilt eine Stunde und nur einmal.',
      'Wenn Sie nichts angefordert haben, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist.',
    ].join('\n'),
  },
  en: {
    subject: '{product}: set a new password',
    body: [
      'Hello,',
      '',
      'a new password was requested with your address. Set it with this link:',
      '',
      '{secret}',
      '',
      'The link is valid for one hour and works once.',
      'If you did not request it, you do not need to do anything: your password stays the same.',
    ].join('\n'),
  },
}

export const changedMail: Readonly<Record<Language, MailText>> = {
  de: {
    subject: '{product}: Ihr Passwort wurde geändert',
    body: [
      'Guten Tag,',
      '',
      'das Passwort Ihres Zugangs wurde soeben geändert, alle anderen Sitzungen wurden beendet.',
      'Wenn Sie das nicht waren, wenden Sie sich bitte sofort an Ihre Administratoren.',
    ].join('\n'),
  },
  en: {
    subject: '{product}: your password was changed',
    body: [
      'Hello,',
      '',
      'your password has just been changed, and all other sessions have ended.',
      'If this was not you, please contact your administrators immediately.',
    ].join('\n'),
  },
}
