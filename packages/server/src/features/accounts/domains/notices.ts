import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { type MailKind, mailKind, type Variable } from '../../../platform/mail/templates/kind.ts'
import { recordActivity } from '../../activity/index.ts'
import type { AccountHooks } from '../hooks.ts'
import { readAccountName } from './store.ts'

/** Notices to the administrators of an account about one of its domains. */
export type DomainNotice = 'failing' | 'lapsed'

const administrators = {
  de: 'die Administratoren des Accounts',
  en: 'the administrators of the account',
}
const domain: Variable = {
  type: 'text',
  label: { de: 'Domain', en: 'Domain' },
  example: { de: 'iot.stadt.example', en: 'iot.city.example' },
}

const failing = mailKind({
  id: 'domainFailing',
  area: 'account',
  title: { de: 'Nachweis einer Domain fehlt', en: 'Proof of a domain is missing' },
  readers: administrators,
  languages: 'spoken',
  variables: {
    domain,
    day: {
      type: 'text',
      label: { de: 'Tag, bis zu dem die Domain gilt', en: 'Day until which the domain works' },
      example: { de: '2026-12-04', en: '2026-12-04' },
    },
  },
  texts: {
    de: {
      subject: '{{product}}: Nachweis für {{domain}} fehlt',
      body: 'Guten Tag,\n\nder Nachweis, dass die Domain {{domain}} zu Ihrem Account gehört, wurde nicht mehr gefunden. Bis zum {{day}} gilt die Domain noch. Danach nur, wenn der TXT-Eintrag oder die Datei wieder da ist. Was nötig ist, steht in {{product}} beim Account unter „Domains“.',
    },
    en: {
      subject: '{{product}}: proof of {{domain}} is missing',
      body: 'Hello,\n\nthe proof that the domain {{domain}} belongs to your account was no longer found. The domain works until {{day}}, and after that only if the TXT record or the file is back. {{product}} shows what is needed, in the account under “Domains”.',
    },
  },
})

const lapsed = mailKind({
  id: 'domainLapsed',
  area: 'account',
  title: { de: 'Domain gilt nicht mehr', en: 'Domain no longer works' },
  readers: administrators,
  languages: 'spoken',
  variables: { domain },
  texts: {
    de: {
      subject: '{{product}}: {{domain}} gilt nicht mehr',
      body: 'Guten Tag,\n\nder Nachweis, dass die Domain {{domain}} zu Ihrem Account gehört, fehlt, oder ein anderer Account hat sie nachgewiesen. Die Anmeldeseite Ihres Accounts ist dort nicht mehr verfügbar. In {{product}} können Sie die Domain beim Account unter „Domains“ erneut nachweisen.',
    },
    en: {
      subject: '{{product}}: {{domain}} no longer works',
      body: "Hello,\n\nthe proof that the domain {{domain}} belongs to your account is missing, or another account has proven it. Your account's sign-in page is no longer available there. You can prove the domain again in {{product}}, in the account under “Domains”.",
    },
  },
})

/** The kinds of mails about domains. */
export const domainMails: readonly MailKind[] = [failing, lapsed]

export type Notifier = Pick<Context, 'mail'> & Pick<AccountHooks, 'administratorsOf'>

/** Mails the administrators of an account, in the transaction of the change. */
export async function notifyAdministrators(
  { mail, administratorsOf }: Notifier,
  tx: Executor,
  accountId: number,
  notice: DomainNotice,
  { domain, until = null }: { domain: string; until?: Date | null },
): Promise<void> {
  for (const { email, language } of await administratorsOf(tx, accountId)) {
    const about = { accountId, recipients: [email], origin: { domain }, language }
    if (notice === 'lapsed') await mail.write(tx, lapsed, { ...about, values: { domain } })
    else await mail.write(tx, failing, { ...about, values: { domain, day: dayOf(until) } })
  }
}

function dayOf(until: Date | null): string {
  return until?.toISOString().slice(0, 10) ?? ''
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
