import type { Context } from '../../platform/context.ts'
import { domainsOf } from './domains.ts'
import { listBrands, readInherited, type Setup } from './store.ts'

/** What an account lacks, in the order in which it matters. */
export type Missing = ('imprint' | 'privacy' | 'mailServer' | 'domain' | 'terms' | 'feedback')[]

/** What an administrator of an account should still set up. */
export async function missingOf(
  { db, mail }: Pick<Context, 'db' | 'mail'>,
  accountId: number,
): Promise<Missing> {
  const [brands, domains, inherited, hasMailServer] = await Promise.all([
    listBrands(db, accountId),
    domainsOf(db, accountId),
    readInherited(db, accountId),
    mail.hasServer(db, accountId),
  ])
  return missingIn({ brands, domains, ...inherited }, hasMailServer)
}

/** Pure. Imprint and data protection count only where people see them: under the domains of the account. */
export function missingIn(
  { brands, domains, hasTerms, hasFeedback }: Setup,
  hasMailServer: boolean,
): Missing {
  const lacks = (has: (page: Setup['brands'][number]['settings']['pages']['de']) => boolean) =>
    domains.some((domain) => {
      const pages = brands.find((brand) => brand.domain === domain)?.settings.pages
      return pages === undefined || !(has(pages.de) && has(pages.en))
    })
  const found: Record<Missing[number], boolean> = {
    imprint: lacks(({ imprintUrl, imprintText }) => imprintUrl !== '' || imprintText.trim() !== ''),
    privacy: lacks(({ privacyUrl, privacyText }) => privacyUrl !== '' || privacyText.trim() !== ''),
    mailServer: !hasMailServer,
    domain: domains.every((domain) => domain === ''),
    terms: !hasTerms,
    feedback: !hasFeedback,
  }
  return (Object.keys(found) as Missing).filter((key) => found[key])
}
