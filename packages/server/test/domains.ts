import type { TestApp } from './kit.ts'

/** A proven domain of an account, for tests that depend on one. */
export async function insertProvenDomain(app: TestApp, accountId: number, domain: string): Promise<void> {
  const proven = { proven_at: app.ctx.clock.now(), method: 'dns', token: `token of ${domain}` }
  await app.ctx.db
    .insertInto('account_domains')
    .values({ ...proven, account_id: accountId, domain })
    .execute()
}
