import type { MailLanguage, MailTemplate, MailTemplateSummary } from '@leitstand/contract/mailTemplates'
import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { languagesOf, type MailKind, variablesOf } from '../../platform/mail/templates/kind.ts'
import { findTemplates, isTopmost, listTemplates } from '../../platform/mail/templates/store.ts'
import { findAccount, requireAccount } from '../accounts/index.ts'

/** An account whose words somebody reads or sets. */
export interface Account {
  id: number
  name: string
  isTop: boolean
}

/** An account the caller administers. @throws AppError TENANT_NOT_FOUND */
export async function administered(db: Executor, caller: Caller, id: number): Promise<Account> {
  const { name } = await requireAccount(db, id, caller.scopeIds('all', 'manage'))
  return { id, name, isTop: await isTopmost(db, id) }
}

/** Whether an account may word a kind of mail, see `MailKind.toStrangers`. */
export function maySet(kind: MailKind, { isTop }: Pick<Account, 'isTop'>): boolean {
  return kind.toStrangers !== true || isTop
}

function about(kind: MailKind, account: Account) {
  const { id, area, title, readers, languages } = kind
  return { id, area, title, readers, isSpoken: languages === 'spoken', maySet: maySet(kind, account) }
}

/** All kinds of mails, and whose words they have in an account. */
export async function summariesOf(
  db: Executor,
  caller: Caller,
  account: Account,
  kinds: readonly MailKind[],
): Promise<MailTemplateSummary[]> {
  const stored = await listTemplates(db, account.id)
  const names = await namesOf(db, caller, account, [...new Set(stored.map(({ accountId }) => accountId))])
  return kinds.map((kind) => ({
    ...about(kind, account),
    words: languagesOf(kind).map((language) => {
      const nearest = stored.find(
        (each) => each.kind === kind.id && each.language === language && (each.isTop || !kind.toStrangers),
      )
      return { language, ...originOf(nearest, account, names) }
    }),
  }))
}

/** A template as it counts in an account. */
export async function present(
  db: Executor,
  caller: Caller,
  account: Account,
  kind: MailKind,
  language: MailLanguage,
): Promise<MailTemplate> {
  const found = await findTemplates(db, account.id, kind.id, language)
  const counting = found.filter(({ isTop }) => isTop || !kind.toStrangers)
  const [nearest] = counting
  const own = nearest?.accountId === account.id ? nearest : undefined
  const inherited = counting.find(({ accountId }) => accountId !== account.id) ?? kind.texts[language]
  const { subject, body } = nearest ?? kind.texts[language]
  const names = await namesOf(db, caller, account, nearest ? [nearest.accountId] : [])
  return {
    ...about(kind, account),
    ...originOf(nearest, account, names),
    language,
    subject,
    body,
    variables: [...variablesOf(kind)].map(([name, { type, label, example, isRequired = false }]) => ({
      name,
      type,
      label,
      isRequired,
      example: example[language],
    })),
    inherited: { subject: inherited.subject, body: inherited.body },
    version: own?.version ?? 0,
    updatedAt: own?.updatedAt.toISOString() ?? null,
  }
}

/** The names of accounts above, as far as the caller sees them. */
async function namesOf(
  db: Executor,
  caller: Caller,
  account: Account,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const names = new Map<number, string>()
  for (const id of ids) {
    if (id === account.id) continue
    const above = await findAccount(db, id, caller.scopeIds('all', 'manage'))
    if (above) names.set(id, above.name)
  }
  return names
}

function originOf(
  found: { accountId: number } | undefined,
  account: Account,
  names: ReadonlyMap<number, string>,
): Pick<MailTemplate, 'state' | 'accountName'> {
  if (found === undefined) return { state: 'delivered', accountName: null }
  if (found.accountId === account.id) return { state: 'own', accountName: account.name }
  return { state: 'inherited', accountName: names.get(found.accountId) ?? null }
}
