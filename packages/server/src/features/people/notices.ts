import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { type Language, type MailText, named } from '../../platform/mail/text.ts'
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

function textOf(notice: Notice, language: Language): MailText {
  const [subject, sentence] = what[language][notice]
  const { greeting, end } = frame[language]
  return { subject: `{product}: ${subject}`, body: [greeting, '', sentence, end].join('\n') }
}

/**
 * Mails a user about a change, in the transaction of the change.
 * @param email defaults to the address of the user
 */
export async function notify(
  { mail, brands }: Pick<Context, 'mail' | 'brands'>,
  tx: Executor,
  userId: number,
  notice: Notice,
  email?: string,
): Promise<void> {
  const user = await readUser(tx, userId)
  if (!user) return
  const language = languageOf(user.properties)
  const { name } = await brands.of(tx, user.account_id)
  await mail.send(tx, {
    accountId: user.account_id,
    recipients: [email ?? user.email],
    origin: { userId },
    addresseeId: userId,
    ...named(textOf(notice, language), name[language]),
  })
}

const lockText: Readonly<Record<Language, (ip: string, at: string) => MailText>> = {
  de: (ip, at) => ({
    subject: '{product}: Anmeldung vorübergehend gesperrt',
    body: [
      'Guten Tag,',
      '',
      `bei Ihrem Zugang wurde mehrmals nacheinander ein falsches Passwort oder ein falscher Code eingegeben, zuletzt am ${at} von der Adresse ${ip}.`,
      'Von dort ist die Anmeldung jetzt zehn Minuten lang gesperrt. Andere Geräte und Netze, mit denen Sie sich vor Kurzem angemeldet haben, sind nicht betroffen.',
      '',
      'Waren Sie das selbst, brauchen Sie nichts zu tun. Sonst versucht jemand, Ihr Passwort zu erraten: Achten Sie darauf, dass Sie es nirgendwo sonst verwenden, und richten Sie in Ihrem Profil einen zweiten Faktor ein.',
    ].join('\n'),
  }),
  en: (ip, at) => ({
    subject: '{product}: signing in is locked for a moment',
    body: [
      'Hello,',
      '',
      `a wrong password or code was entered for your access several times in a row, most recently on ${at} from the address ${ip}.`,
      'Signing in from there is now locked for ten minutes. Other devices and networks you have recently signed in from are not affected.',
      '',
      'If that was you, there is nothing to do. Otherwise someone is trying to guess your password: make sure you use it nowhere else, and set up a second factor in your profile.',
    ].join('\n'),
  }),
}

/** Keeps attackers from flooding a mailbox. */
export const lockMailEveryMs = 3_600_000

/** Mails a user about a lock of their sign-in, at most once an hour. */
export async function mailLock(
  { db, clock, mail, brands }: Pick<Context, 'db' | 'clock' | 'mail' | 'brands'>,
  userId: number,
  ip: string,
): Promise<void> {
  const now = clock.now()
  await db.transaction().execute(async (tx) => {
    if (!(await takeLockMail(tx, userId, now, new Date(now.getTime() - lockMailEveryMs)))) return
    const user = await readUser(tx, userId)
    if (!user) return
    const language = languageOf(user.properties)
    const { name } = await brands.of(tx, user.account_id)
    const at = now.toISOString().slice(0, 16).replace('T', ' ')
    await mail.send(tx, {
      accountId: user.account_id,
      recipients: [user.email],
      origin: { userId },
      addresseeId: userId,
      ...named(lockText[language](ip, `${at} UTC`), name[language]),
    })
  })
}
