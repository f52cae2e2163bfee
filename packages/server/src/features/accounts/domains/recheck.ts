import type { Context } from '../../../platform/context.ts'
import { messageOf } from '../../../platform/errors.ts'
import { checkClaim } from './claims.ts'
import { isReserved } from './host.ts'
import { type Notifier, noteDomain, notifyAdministrators } from './notices.ts'
import { actionOf, lapsesAt } from './step.ts'
import { type Claim, deleteClaim, readAllClaimed, readDueClaims } from './store.ts'

/** Proofs checked within this time are skipped, so that an interrupted job continues where it stopped. */
const freshMs = 12 * 3_600_000
/** Proofs checked concurrently. */
const pageMax = 10

/** Checks the proofs of all proven domains. Those whose proof is missing lapse after a grace period. */
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
    // The claim was withdrawn in the meantime, or the database failed: checked again the next day.
    ctx.log.warn({ domain, accountId, reason: messageOf(error) }, 'a domain could not be checked')
  }
}

/**
 * Removes claims of names that belong to the installation: left by versions in which any account could map
 * them, or after a change of the public address.
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
