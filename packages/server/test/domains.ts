import type { TestApp } from './kit.ts'

/** A domain an account has proven, for tests of what follows from that. */
export async function insertProvenDomain(app: TestApp, accountId: number, domain: string): Promise<void> {
  const proven = { proven_at: app.ctx.clock.now(), method: 'dns', token: `token of ${domain}` }
  await app.ctx.db
    .insertInto('account_domains')
    .values({ ...proven, account_id: accountId, domain })
    .execute()
}
