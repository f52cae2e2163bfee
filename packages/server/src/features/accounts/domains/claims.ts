import { randomBytes } from 'node:crypto'
import { domainsMax } from '@leitstand/contract/domains'
import type { Context } from '../../../platform/context.ts'
import { type Executor, violatedUnique } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Names } from '../../../platform/net/names.ts'
import { isAsked, isReserved } from './host.ts'
import { type Notifier, noteDomain, notifyAdministrators } from './notices.ts'
import { isGone, type Look, look } from './proof.ts'
import { afterLook, type ClaimEvent, lapsed } from './step.ts'
import {
  type Claim,
  deleteClaim,
  insertClaim,
  lockClaims,
  readClaims,
  readHolder,
  updateClaim,
} from './store.ts'

const tokenBytes = 32

/** Looks up new domains in the DNS, except names of the local network. */
export async function examine(
  names: Names,
  domains: readonly string[],
): Promise<{ unknown: string[]; unchecked: string[] }> {
  const answers = await Promise.all(
    domains.filter(isAsked).map(async (domain) => ({ domain, answer: await names.ask(domain) })),
  )
  const of = (wanted: string) => answers.filter(({ answer }) => answer === wanted).map(({ domain }) => domain)
  return { unknown: of('unknown'), unchecked: of('unanswered') }
}

/**
 * @throws AppError TENANT_DOMAIN_RESERVED
 */
export function demandClaimable({ config }: Pick<Context, 'config'>, domains: readonly string[]): void {
  const reserved = domains.filter((domain) => isReserved(config.publicUrl, domain))
  if (reserved.length > 0) throw new AppError('TENANT_DOMAIN_RESERVED', { domains: reserved })
}

/**
 * Claims domains for an account that does not claim them yet. Several accounts may claim one; the proof
 * decides.
 * @throws AppError TENANT_DOMAIN_TOO_MANY, TENANT_DOMAIN_DUPLICATE
 */
export async function claim(
  tx: Executor,
  accountId: number,
  domains: readonly string[],
  now: Date,
): Promise<void> {
  const before = await readClaims(tx, accountId)
  if (before.length + domains.length > domainsMax)
    throw new AppError('TENANT_DOMAIN_TOO_MANY', { max: domainsMax })
  for (const domain of domains) {
    const token = randomBytes(tokenBytes).toString('hex')
    await insertClaim(tx, { accountId, domain, token, at: now })
  }
}

/** Replaces the claims of an account. Claims that stay keep their proof. */
export async function replaceClaims(
  tx: Executor,
  accountId: number,
  domains: readonly string[],
  now: Date,
): Promise<void> {
  const before = await readClaims(tx, accountId)
  for (const each of before) if (!domains.includes(each.domain)) await deleteClaim(tx, each.id)
  const known = new Set(before.map(({ domain }) => domain))
  await claim(
    tx,
    accountId,
    domains.filter((domain) => !known.has(domain)),
    now,
  )
}

/**
 * Looks for the proof of a claim and stores the result. When another account has proven the domain, its proof
 * is checked too: its claim lapses if the proof is certainly gone; otherwise it keeps the domain.
 * @param onEvent records what happened to the claim, in the transaction of the change
 * @returns whether another account keeps the domain
 */
export async function checkClaim(
  ctx: Pick<Context, 'config' | 'names' | 'outgoing' | 'db' | 'clock'> & Notifier,
  claimed: Claim,
  onEvent: (tx: Executor, event: Exclude<ClaimEvent, null>, after: Claim) => Promise<void>,
): Promise<'kept by another' | 'done'> {
  const found = await look(ctx, claimed)
  const now = ctx.clock.now()
  const seen = claimed.provenAt === null ? await readHolder(ctx.db, claimed.domain) : undefined
  const theirs = seen && seen.id !== claimed.id ? await look(ctx, seen) : undefined
  return ctx.db
    .transaction()
    .execute(async (tx) => {
      const claims = await lockClaims(tx, claimed.domain)
      const own = claims.find(({ id, token }) => id === claimed.id && token === claimed.token)
      if (!own) throw new AppError('TENANT_DOMAIN_NOT_FOUND')
      const { change, event } = afterLook(own, found, now)
      const holder = claims.find(({ id, provenAt }) => id !== own.id && provenAt !== null)
      if (event === 'proven' && holder) {
        // An account that proved it in the meantime was not checked: it keeps the domain until the next
        // check.
        if (holder.id !== seen?.id || theirs === undefined || !isGone(theirs)) {
          const unproven = { provenAt: null, method: null, failingSince: null, lapsedAt: own.lapsedAt }
          await updateClaim(tx, own.id, unproven, { ...found, at: now })
          return 'kept by another'
        }
        await giveWay(ctx, tx, holder, theirs, now)
      }
      await updateClaim(tx, own.id, change, { ...found, at: now })
      if (event !== null) await onEvent(tx, event, { ...own, ...change })
      return 'done'
    })
    .catch((error: unknown) => {
      if (violatedUnique(error) === 'account_domains_proven') return 'kept by another' as const
      throw error
    })
}

/** Lets the claim of the previous holder lapse, whose proof is gone while another account has one. */
async function giveWay(ctx: Notifier, tx: Executor, holder: Claim, theirs: Look, now: Date): Promise<void> {
  await updateClaim(tx, holder.id, lapsed(holder, now), { ...theirs, at: now })
  await noteDomain(tx, holder.accountId, 'lapseDomain', { domain: holder.domain })
  await notifyAdministrators(ctx, tx, holder.accountId, 'lapsed', { domain: holder.domain })
}
