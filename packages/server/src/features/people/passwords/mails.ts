import { mailKind } from '../../../platform/mail/templates/kind.ts'
import type { Language } from '../../../platform/mail/text.ts'

/** The language a user has chosen in the console; German by default. */
export function languageOf(properties: unknown): Language {
  const defaults = (properties as { userDefaults?: { language?: unknown } } | null)?.userDefaults
  return defaults?.language === 'en' ? 'en' : 'de'
}

/** The link in a mail that sets a password. */
const link = {
  type: 'link',
  label: { de: 'Link zum Setzen des Passworts', en: 'Link to set the password' },
  example: {
    de: 'https://iot.example/#/change-password?token=beispiel',
    en: 'https://iot.example/#/change-password?token=example',
  },
  isRequired: true,
} as const

const theUser = { de: 'die Person, um deren Zugang es geht', en: 'the person whose access it is' }

export const forgottenMail = mailKind({
  id: 'passwordForgotten',
  area: 'access',
  title: { de: 'Passwort vergessen', en: 'Password forgotten' },
  readers: theUser,
  languages: 'spoken',
  variables: { link },
  texts: {
    de: {
      subject: '{{product}}: neues Passwort setzen',
      body: [
        'Guten Tag,',
        '',
        'für Ihren Zugang wurde ein neues Passwort angefordert. Mit diesem Link setzen Sie es:',
        '',
        '[Neues Passwort setzen]({{link}})',
        '',
        'Der Link gilt eine Stunde und nur einmal.',
        'Wenn Sie nichts angefordert haben, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist.',
      ].join('\n'),
    },
    en: {
      subject: '{{product}}: set a new password',
      body: [
        'Hello,',
        '',
        'a new password was requested with your address. Set it with this link:',
        '',
        '[Set a new password]({{link}})',
        '',
        'The link is valid for one hour and works once.',
        'If you did not request it, you do not need to do anything: your password stays the same.',
      ].join('\n'),
    },
  },
})

export const changedMail = mailKind({
  id: 'passwordChanged',
  area: 'access',
  title: { de: 'Passwort geändert', en: 'Password changed' },
  readers: theUser,
  languages: 'spoken',
  variables: {},
  texts: {
    de: {
      subject: '{{product}}: Ihr Passwort wurde geändert',
      body: [
        'Guten Tag,',
        '',
        'das Passwort Ihres Zugangs wurde soeben geändert, alle anderen Sitzungen wurden beendet.',
        'Wenn Sie das nicht waren, wenden Sie sich bitte sofort an Ihre Administratoren.',
      ].join('\n'),
    },
    en: {
      subject: '{{product}}: your password was changed',
      body: [
        'Hello,',
        '',
        'your password has just been changed, and all other sessions have ended.',
        'If this was not you, please contact your administrators immediately.',
      ].join('\n'),
    },
  },
})

export const invitationMail = mailKind({
  id: 'invitation',
  area: 'access',
  title: { de: 'Einladung', en: 'Invitation' },
  readers: { de: 'neue Benutzer', en: 'new users' },
  languages: 'spoken',
  variables: { link },
  texts: {
    de: {
      subject: '{{product}}: Ihr Zugang',
      body: [
        'Guten Tag,',
        '',
        'für Sie wurde ein Zugang angelegt. Mit diesem Link setzen Sie Ihr Passwort:',
        '',
        '[Passwort setzen]({{link}})',
        '',
        'Der Link gilt sieben Tage und nur einmal.',
      ].join('\n'),
    },
    en: {
      subject: '{{product}}: your access',
      body: [
        'Hello,',
        '',
        'you now have access to {{product}}. Set your password with this link:',
        '',
        '[Set your password]({{link}})',
        '',
        'The link is valid for seven days and works once.',
      ].join('\n'),
    },
  },
})
