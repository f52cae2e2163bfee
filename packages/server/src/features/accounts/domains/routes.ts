import { type AccountDomain, DomainProof, ProofResult } from '@leitstand/contract/domains'
import { LRUCache } from 'lru-cache'
import { upTo } from '../../../platform/cache.ts'
import type { Context } from '../../../platform/context.ts'
import { violatedUnique } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import { os } from '../../../platform/http/implement.ts'
import { type Bucket, fullBucket, type Rate, spent, waitMs } from '../../../platform/tokenBucket.ts'
import { note, requireAccount } from '../account.ts'
import { checkClaim, claim, demandClaimable, examine } from './claims.ts'
import type { Notifier } from './notices.ts'
import { fileOf, recordOf } from './proof.ts'
import { actionOf, lapsesAt } from './step.ts'
import { type Claim, deleteClaim, readClaim, readClaims } from './store.ts'

/** Limits the DNS and web requests an account can trigger: a burst, then one every six seconds. */
const questions: Rate = { perSecond: 1 / 6, burst: 20 }
const accountsMax = 10_000

/** Domains of accounts: claim, prove and withdraw them. */
export function domainRoutes(ctx: Context & Notifier) {
  const { db, clock, names, config } = ctx
  const pace = new LRUCache<number, Bucket>(upTo(accountsMax))
  const ask = (accountId: number) => {
    const nowMs = clock.now().getTime()
    const bucket = pace.get(accountId) ?? fullBucket(questions, nowMs)
    const wait = waitMs(bucket, questions, nowMs)
    if (wait > 0) throw new AppError('TOO_MANY_REQUESTS', { retryAfterSeconds: Math.ceil(wait / 1000) })
    pace.set(accountId, spent(bucket, 1, questions, nowMs))
  }
  const shown = async (accountId: number, domain: string) => {
    const found = await readClaim(db, accountId, domain)
    if (!found) throw new AppError('TENANT_DOMAIN_NOT_FOUND', { domain })
    return toDomain(config.publicUrl, found)
  }
  return {
    listDomains: os.tenant.listDomains.handler(async ({ input: { id }, context: { caller } }) => {
      await requireAccount(db, id, caller.scopeIds('all', 'manage'))
      return { items: (await readClaims(db, id)).map((each) => toDomain(config.publicUrl, each)) }
    }),
    claimDomain: os.tenant.claimDomain.handler(async ({ input, context: { caller } }) => {
      const { id, domain, acceptUnknown } = input
      const managed = caller.scopeIds('all', 'manage')
      await requireAccount(db, id, managed)
      demandClaimable(ctx, [domain])
      ask(id)
      const { unknown } = await examine(names, [domain])
      if (unknown.length > 0 && !acceptUnknown)
        throw new AppError('TENANT_DOMAIN_UNKNOWN', { domains: unknown })
      await db
        .transaction()
        .execute(async (tx) => {
          const account = await requireAccount(tx, id, managed)
          await claim(tx, id, [domain], clock.now())
          await note(tx, caller, 'claimDomain', account, { domain })
        })
        .catch(orDuplicate)
      return shown(id, domain)
    }),
    checkDomain: os.tenant.checkDomain.handler(async ({ input: { id, domain }, context: { caller } }) => {
      const account = await requireAccount(db, id, caller.scopeIds('all', 'manage'))
      const claimed = await readClaim(db, id, domain)
      if (!claimed) throw new AppError('TENANT_DOMAIN_NOT_FOUND', { domain })
      demandClaimable(ctx, [domain])
      ask(id)
      const result = await checkClaim(ctx, claimed, (tx, event, after) =>
        note(tx, caller, actionOf[event], account, { domain, method: after.method }),
      )
      if (result === 'kept by another') throw new AppError('TENANT_DOMAIN_EXISTS', { domain })
      return shown(id, domain)
    }),
    releaseDomain: os.tenant.releaseDomain.handler(async ({ input: { id, domain }, context: { caller } }) => {
      await db.transaction().execute(async (tx) => {
        const account = await requireAccount(tx, id, caller.scopeIds('all', 'manage'))
        const claimed = await readClaim(tx, id, domain)
        if (!claimed) throw new AppError('TENANT_DOMAIN_NOT_FOUND', { domain })
        await deleteClaim(tx, claimed.id)
        await note(tx, caller, 'releaseDomain', account, { domain })
      })
      return { ok: true as const }
    }),
  }
}

function toDomain(publicUrl: string, row: Claim): AccountDomain {
  const [dns, file] = [ProofResult.safeParse(row.foundDns), ProofResult.safeParse(row.foundFile)]
  const method = DomainProof.safeParse(row.method)
  return {
    domain: row.domain,
    state: stateOf(row),
    method: method.success ? method.data : null,
    claimedAt: row.claimedAt.toISOString(),
    provenAt: row.provenAt?.toISOString() ?? null,
    lapsesAt: lapsesAt(row)?.toISOString() ?? null,
    checked:
      row.checkedAt !== null && dns.success && file.success
        ? { at: row.checkedAt.toISOString(), dns: dns.data, file: file.data }
        : null,
    record: recordOf(row),
    file: fileOf(publicUrl, row),
  }
}

function stateOf({ provenAt, failingSince, lapsedAt }: Claim): AccountDomain['state'] {
  if (provenAt !== null) return failingSince === null ? 'proven' : 'failing'
  return lapsedAt === null ? 'waiting' : 'lapsed'
}

function orDuplicate(error: unknown): never {
  if (violatedUnique(error) === 'account_domains_once') throw new AppError('TENANT_DOMAIN_DUPLICATE')
  throw error
}
