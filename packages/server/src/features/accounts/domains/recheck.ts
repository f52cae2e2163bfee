import type { Context } from '../../../platform/context.ts'
import { messageOf } from '../../../platform/errors.ts'
import { checkClaim } from './claims.ts'
import { isReserved } from './host.ts'
import { type Notifier, noteDomain, notifyAdministrators } from './notices.ts'
import { actionOf, lapsesAt } from './step.ts'
import { type Claim, deleteClaim, readAllClaimed, readDueClaims } from './store.ts'

/** A proof that was looked for within this time is not looked for again: the job goes on where it was stopped. */
const freshMs = 12 * 3_600_000
/** Proofs looked for at the same time. */
const pageMax = 10

/** Looks for the proofs of all domains that count. Those without are given time, then they count no more. */
export async function recheckDomains(ctx: Context & Notifier, signal: AbortSignal): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - freshMs)
  let afterId = 0
  while (!signal.aborted) {
    const page = await readDueClaims(ctx.db, before, afterId, pageMax)
    await Promise.all(page.map((claimed) => recheck(ctx, claimed)))
    afterId = page.at(-1)?.id ?? afterId
    if (page.length < pageMax) return
  }
}

async function recheck(ctx: Context & Notifier, claimed: Claim): Promise<void> {
  const { accountId, domain } = claimed
  try {
    await checkClaim(ctx, claimed, async (tx, event, after) => {
      await noteDomain(tx, accountId, actionOf[event], { domain })
      if (event === 'failing')
        await notifyAdministrators(ctx, tx, accountId, 'failing', { domain, until: lapsesAt(after) })
      if (event === 'lapsed') await notifyAdministrators(ctx, tx, accountId, 'lapsed', { domain })
    })
  } catch (error) {
    // One that was given up meanwhile, or that the database cannot take now: the next day looks again.
    ctx.log.warn({ domain, accountId, reason: messageOf(error) }, 'a domain could not be checked')
  }
}

/**
 * Takes names from accounts that belong to the installation: of versions in which anybody could map them, or after the
 * public address has changed.
 */
export async function releaseReserved({ db, config, log }: Context): Promise<void> {
  for (const { id, accountId, domain, name } of await readAllClaimed(db)) {
    if (!isReserved(config.publicUrl, domain)) continue
    await db.transaction().execute(async (tx) => {
      await deleteClaim(tx, id)
      await noteDomain(tx, accountId, 'releaseDomain', { domain, reserved: true })
    })
    log.warn(
      { domain, accountId, account: name },
      'a domain that belongs to the installation was taken from an account',
    )
  }
}
