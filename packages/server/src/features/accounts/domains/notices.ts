import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { type Language, type MailText, named } from '../../../platform/mail/text.ts'
import { recordActivity } from '../../activity/index.ts'
import type { AccountHooks } from '../hooks.ts'
import { readAccountName } from './store.ts'

/** Notices to the administrators of an account about one of its domains. */
export type DomainNotice = 'failing' | 'lapsed'

const texts: Readonly<
  Record<Language, Record<DomainNotice, (domain: string, day: string) => [subject: string, text: string]>>
> = {
  de: {
    failing: (domain, day) => [
      `Nachweis für ${domain} fehlt`,
      `der Nachweis, dass die Domain ${domain} zu Ihrem Account gehört, wurde nicht mehr gefunden. Bis zum ${day} gilt die Domain noch. Danach nur, wenn der TXT-Eintrag oder die Datei wieder da ist. Was nötig ist, steht in {product} beim Account unter „Domains“.`,
    ],
    lapsed: (domain) => [
      `${domain} gilt nicht mehr`,
      `der Nachweis, dass die Domain ${domain} zu Ihrem Account gehört, fehlt, oder ein anderer Account hat sie nachgewiesen. Die Anmeldeseite Ihres Accounts ist dort nicht mehr verfügbar. In {product} können Sie die Domain beim Account unter „Domains“ erneut nachweisen.`,
    ],
  },
  en: {
    failing: (domain, day) => [
      `proof of ${domain} is missing`,
      `the proof that the domain ${domain} belongs to your account was no longer found. The domain works until ${day}, and after that only if the TXT record or the file is back. {product} shows what is needed, in the account under “Domains”.`,
    ],
    lapsed: (domain) => [
      `${domain} no longer works`,
      `the proof that the domain ${domain} belongs to your account is missing, or another account has proven it. Your account's sign-in page is no longer available there. You can prove the domain again in {product}, in the account under “Domains”.`,
    ],
  },
}

const greetings: Readonly<Record<Language, string>> = { de: 'Guten Tag,', en: 'Hello,' }

function textOf(notice: DomainNotice, language: Language, domain: string, until: Date | null): MailText {
  const day = until?.toISOString().slice(0, 10) ?? ''
  const [subject, text] = texts[language][notice](domain, day)
  return { subject: `{product}: ${subject}`, body: [greetings[language], '', text].join('\n') }
}

export type Notifier = Pick<Context, 'mail' | 'brands'> & Pick<AccountHooks, 'administratorsOf'>

/** Mails the administrators of an account, in the transaction of the change. */
export async function notifyAdministrators(
  { mail, brands, administratorsOf }: Notifier,
  tx: Executor,
  accountId: number,
  notice: DomainNotice,
  { domain, until = null }: { domain: string; until?: Date | null },
): Promise<void> {
  const { name } = await brands.of(tx, accountId)
  for (const { email, language } of await administratorsOf(tx, accountId)) {
    await mail.send(tx, {
      accountId,
      recipients: [email],
      origin: { domain },
      ...named(textOf(notice, language, domain, until), name[language]),
    })
  }
}

/** Writes an activity entry about a change of a domain that no user made. */
export async function noteDomain(
  tx: Executor,
  accountId: number,
  action: string,
  changes: object,
): Promise<void> {
  const objectTitle = await readAccountName(tx, accountId)
  await recordActivity(
    tx,
    { userId: null, name: '', ip: '' },
    { action, subject: 'Tenant', objectId: accountId, objectTitle, accountId, changes },
  )
}
