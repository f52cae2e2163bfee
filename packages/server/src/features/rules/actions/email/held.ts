import type { Context } from '../../../../platform/context.ts'
import { fullAfterMs } from './budgets.ts'
import type { Recipients } from './recipients.ts'
import { stopPath } from './send.ts'
import { deleteOldBudgets, sendersOf, takeHeld } from './store.ts'
import { heldMail, stopText } from './texts.ts'

/** Time for which held-back mails are counted before one mail sums them up. */
export const sumUpAfterMs = 3_600_000
/** Summaries written at once; the rest follow the next time. */
const summariesMax = 500

/**
 * Tells recipients how many mails were held back, at most once an hour each.
 * @returns how many mails were written
 */
export async function sumUpHeld(ctx: Context, recipients: Recipients): Promise<number> {
  const { db, clock, mail, config } = ctx
  const now = clock.now()
  await deleteOldBudgets(db, new Date(now.getTime() - fullAfterMs))
  return db.transaction().execute(async (tx) => {
    const held = await takeHeld(tx, new Date(now.getTime() - sumUpAfterMs), summariesMax)
    const names = await sendersOf(tx, [...new Set(held.map(({ accountId }) => accountId))])
    let written = 0
    for (const { accountId, address, times, rules } of held) {
      const standing = (await recipients.standings(tx, accountId, [address])).get(address)
      const recipient = standing?.inside ? undefined : standing?.recipient
      // Recipients who have unsubscribed since then get no summary either.
      if (!standing?.inside && recipient?.state !== 'confirmed') continue
      const token = recipient && recipients.stopToken(recipient.id)
      const stop = token
        ? stopText(names.get(accountId)?.name ?? '', `${config.publicUrl}/#/rule-mail?token=${token}`)
        : undefined
      await mail.write(tx, heldMail, {
        accountId,
        recipients: [address],
        language: 'de',
        values: { count: String(times), rules: rules.map((rule) => `- ${rule}`).join('\n') },
        ...(stop === undefined ? {} : { below: stop }),
        ...(token ? { unsubscribeUrl: `${config.publicUrl}${stopPath}/${token}` } : {}),
      })
      written++
    }
    return written
  })
}
