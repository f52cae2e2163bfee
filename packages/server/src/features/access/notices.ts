import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { type Language, languageOf, type MailText } from './passwords/mails.ts'
import { readUser } from './store/access.ts'

/** What people are told by mail when something changes by which they sign in. */
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
      'zweiter Faktor eingeschaltet',
      'für Ihren Zugang wurde soeben ein zweiter Faktor eingeschaltet, alle anderen Sitzungen wurden beendet.',
    ],
    factorOff: [
      'zweiter Faktor ausgeschaltet',
      'der zweite Faktor Ihres Zugangs wurde soeben ausgeschaltet. Zum Anmelden genügt jetzt das Passwort.',
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
      'second factor turned on',
      'a second factor has just been turned on for your access, and all other sessions have ended.',
    ],
    factorOff: [
      'second factor turned off',
      'the second factor of your access has just been turned off. The password alone now lets you in.',
    ],
    recoveryCodesRenewed: [
      'new recovery codes',
      'new recovery codes have just been made for your access. Those before no longer work.',
    ],
    recoveryCodeUsed: [
      'recovery code used',
      'one of your recovery codes has just stood in for the second factor. The code is used up by that.',
    ],
    codeUsedTwice: [
      'a code came twice',
      'a code of your second factor that had been used already was entered once more, and refused.',
    ],
    emailChanged: [
      'e-mail address changed',
      'another e-mail address belongs to your access from now on. Nothing more is sent to this one.',
    ],
  },
}

const frame: Readonly<Record<Language, { greeting: string; end: string }>> = {
  de: {
    greeting: 'Guten Tag,',
    end: 'Wenn Sie davon nichts wissen, wenden Sie sich bitte sofort an Ihre Administratoren.',
  },
  en: { greeting: 'Hello,', end: 'If you know nothing of it, please tell your administrators at once.' },
}

function textOf(notice: Notice, language: Language): MailText {
  const [subject, sentence] = what[language][notice]
  const { greeting, end } = frame[language]
  return { subject: `Leitstand: ${subject}`, body: [greeting, '', sentence, end].join('\n') }
}

/**
 * Mails somebody what has changed, in the transaction of the change.
 * @param email absent: the address of the user
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
  await mail.send(tx, {
    ...{ accountId: user.account_id, recipients: [email ?? user.email], origin: { userId } },
    addresseeId: userId,
    ...textOf(notice, languageOf(user.properties)),
  })
}
