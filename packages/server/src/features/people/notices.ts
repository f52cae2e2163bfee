import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { type MailKind, mailKind } from '../../platform/mail/templates/kind.ts'
import type { Language } from '../../platform/mail/text.ts'
import { languageOf } from './passwords/mails.ts'
import { takeLockMail } from './store/known.ts'
import { readUser } from './store/users.ts'

/** Mails to users about changes of their credentials. */
export type Notice =
  | 'factorOn'
  | 'factorOff'
  | 'recoveryCodesRenewed'
  | 'recoveryCodeUsed'
  | 'codeUsedTwice'
  | 'emailChanged'

const what: Readonly<Record<Language, Record<Notice, [subject: string, sentence: string]>>> = {
  de: {
    factorOn: [
      'zweiter Faktor aktiviert',
      'für Ihren Zugang wurde soeben ein zweiter Faktor aktiviert, alle anderen Sitzungen wurden beendet.',
    ],
    factorOff: [
      'zweiter Faktor deaktiviert',
      'der zweite Faktor Ihres Zugangs wurde soeben deaktiviert. Zum Anmelden genügt jetzt das Passwort.',
    ],
    recoveryCodesRenewed: [
      'neue Wiederherstellungscodes',
      'für Ihren Zugang wurden soeben neue Wiederherstellungscodes erzeugt. Die bisherigen gelten nicht mehr.',
    ],
    recoveryCodeUsed: [
      'Wiederherstellungscode verwendet',
      'mit einem Ihrer Wiederherstellungscodes wurde soeben der zweite Faktor ersetzt. Der Code ist damit verbraucht.',
    ],
    codeUsedTwice: [
      'ein Code kam zweimal',
      'ein Code Ihres zweiten Faktors, der schon verwendet war, wurde noch einmal eingegeben und abgelehnt.',
    ],
    emailChanged: [
      'E-Mail-Adresse geändert',
      'zu Ihrem Zugang gehört ab jetzt eine andere E-Mail-Adresse. An diese hier gehen keine Nachrichten mehr.',
    ],
  },
  en: {
    factorOn: [
      'two-factor authentication enabled',
      'two-factor authentication has just been enabled for your user, and all other sessions have ended.',
    ],
    factorOff: [
      'two-factor authentication disabled',
      'two-factor authentication has just been disabled for your user. The password alone is now enough to sign in.',
    ],
    recoveryCodesRenewed: [
      'new recovery codes',
      'new recovery codes have just been created for your user. The earlier ones no longer work.',
    ],
    recoveryCodeUsed: [
      'recovery code used',
      'one of your recovery codes has just been used in place of the second factor. It cannot be used again.',
    ],
    codeUsedTwice: [
      'code used twice',
      'a two-factor code that had already been used was entered again and refused.',
    ],
    emailChanged: [
      'email address changed',
      'your user now has a different email address. Nothing more is sent to this one.',
    ],
  },
}

const frame: Readonly<Record<Language, { greeting: string; end: string }>> = {
  de: {
    greeting: 'Guten Tag,',
    end: 'Wenn Sie davon nichts wissen, wenden Sie sich bitte sofort an Ihre Administratoren.',
  },
  en: { greeting: 'Hello,', end: 'If this was not you, please contact your administrators immediately.' },
}

function noticeKind(notice: Notice): MailKind<never> {
  const textOf = (language: Language) => {
    const [subject, sentence] = what[language][notice]
    const { greeting, end } = frame[language]
    return { subject: `{{product}}: ${subject}`, body: [greeting, '', sentence, end].join('\n') }
  }
  return mailKind({
    id: notice,
    area: 'access',
    title: { de: titled(what.de[notice][0]), en: titled(what.en[notice][0]) },
    readers: theUser,
    languages: 'spoken',
    variables: {},
    texts: { de: textOf('de'), en: textOf('en') },
  })
}

const theUser = { de: 'die Person, um deren Zugang es geht', en: 'the person whose access it is' }
const titled = (subject: string) => subject.charAt(0).toUpperCase() + subject.slice(1)

const notices: Readonly<Record<Notice, MailKind<never>>> = {
  factorOn: noticeKind('factorOn'),
  factorOff: noticeKind('factorOff'),
  recoveryCodesRenewed: noticeKind('recoveryCodesRenewed'),
  recoveryCodeUsed: noticeKind('recoveryCodeUsed'),
  codeUsedTwice: noticeKind('codeUsedTwice'),
  emailChanged: noticeKind('emailChanged'),
}

/**
 * Mails a user about a change, in the transaction of the change.
 * @param email defaults to the address of the user
 */
export async function notify(
  { mail }: Pick<Context, 'mail'>,
  tx: Executor,
  userId: number,
  notice: Notice,
  email?: string,
): Promise<void> {
  const user = await readUser(tx, userId)
  if (!user) return
  await mail.write(tx, notices[notice], {
    accountId: user.account_id,
    recipients: [email ?? user.email],
    origin: { userId },
    addresseeId: userId,
    language: languageOf(user.properties),
    values: {},
  })
}

const lockMail = mailKind({
  id: 'signInLocked',
  area: 'access',
  title: { de: 'Anmeldung gesperrt', en: 'Signing in locked' },
  readers: theUser,
  languages: 'spoken',
  variables: {
    time: {
      type: 'text',
      label: { de: 'Zeitpunkt (UTC)', en: 'Time (UTC)' },
      example: { de: '2026-11-20 08:15 UTC', en: '2026-11-20 08:15 UTC' },
    },
    address: {
      type: 'text',
      label: { de: 'IP-Adresse', en: 'IP address' },
      example: { de: '192.0.2.17', en: '192.0.2.17' },
    },
  },
  texts: {
    de: {
      subject: '{{product}}: Anmeldung vorübergehend gesperrt',
      body: [
        'Guten Tag,',
        '',
        'bei Ihrem Zugang wurde mehrmals nacheinander ein falsches Passwort oder ein falscher Code eingegeben, zuletzt am {{time}} von der Adresse {{address}}.',
        'Von dort ist die Anmeldung jetzt zehn Minuten lang gesperrt. Andere Geräte und Netze, mit denen Sie sich vor Kurzem angemeldet haben, sind nicht betroffen.',
        '',
        'Waren Sie das selbst, brauchen Sie nichts zu tun. Sonst versucht jemand, Ihr Passwort zu erraten: Achten Sie darauf, dass Sie es nirgendwo sonst verwenden, und richten Sie in Ihrem Profil einen zweiten Faktor ein.',
      ].join('\n'),
    },
    en: {
      subject: '{{product}}: signing in is locked for a moment',
      body: [
        'Hello,',
        '',
        'a wrong password or code was entered for your access several times in a row, most recently on {{time}} from the address {{address}}.',
        'Signing in from there is now locked for ten minutes. Other devices and networks you have recently signed in from are not affected.',
        '',
        'If that was you, there is nothing to do. Otherwise someone is trying to guess your password: make sure you use it nowhere else, and set up a second factor in your profile.',
      ].join('\n'),
    },
  },
})

/** The kinds of mails about credentials. */
export const noticeMails: readonly MailKind[] = [...Object.values(notices), lockMail]

/** Keeps attackers from flooding a mailbox. */
export const lockMailEveryMs = 3_600_000

/** Mails a user about a lock of their sign-in, at most once an hour. */
export async function mailLock(
  { db, clock, mail }: Pick<Context, 'db' | 'clock' | 'mail'>,
  userId: number,
  ip: string,
): Promise<void> {
  const now = clock.now()
  await db.transaction().execute(async (tx) => {
    if (!(await takeLockMail(tx, userId, now, new Date(now.getTime() - lockMailEveryMs)))) return
    const user = await readUser(tx, userId)
    if (!user) return
    const time = now.toISOString().slice(0, 16).replace('T', ' ')
    await mail.write(tx, lockMail, {
      accountId: user.account_id,
      recipients: [user.email],
      origin: { userId },
      addresseeId: userId,
      language: languageOf(user.properties),
      values: { time: `${time} UTC`, address: ip },
    })
  })
}
