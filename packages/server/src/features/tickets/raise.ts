import { type TicketPriority, type TicketType, ticketLimits } from '@leitstand/contract/tickets'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { system } from '../../platform/http/caller.ts'
import { insertEntry } from './entries.store.ts'
import { findPlaceOf } from './places.store.ts'
import { countOpen, findOfRule, insertTicket, lockNumbers, takeNumber } from './store.ts'
import { note, tell } from './tickets.ts'

/** What a rule reports. */
export interface RuleReport {
  ruleId: number
  ruleTitle: string
  /** twin or device of the rule */
  twinId: number
  type: TicketType
  subject: string
  comment: string
  priority: TicketPriority
}

/** What became of it: `open` there is one of the rule that is not done; `noPlace` a device that is below no twin. */
export type Raised = { is: 'new' | 'open'; number: number; scopeId: number } | { is: 'noPlace' | 'limit' }

/** Makes a ticket for a rule, in the transaction of its evaluation, unless one of it is open at the place. */
export async function raiseTicket(
  ctx: Pick<Context, 'clock' | 'events'>,
  tx: Executor,
  report: RuleReport,
): Promise<Raised> {
  const place = await findPlaceOf(tx, report.twinId)
  if (place === undefined) return { is: 'noPlace' }
  const { accountId, scopeId } = place
  await lockNumbers(tx, accountId)
  const open = await findOfRule(tx, report.ruleId, place.id)
  if (open !== undefined) return { is: 'open', number: open, scopeId }
  if ((await countOpen(tx, accountId, null)).all >= ticketLimits.openOfAccountMax) return { is: 'limit' }
  const number = await takeNumber(tx, accountId)
  const at = ctx.clock.now()
  const { ruleId, ruleTitle, type, subject, comment, priority } = report
  const id = await insertTicket(tx, number, {
    accountId,
    twinId: place.id,
    type,
    subject,
    comment,
    priority,
    source: 'rule',
    alarmId: null,
    ruleId,
    reporter: { userId: null, name: ruleTitle },
    key: null,
    at,
  })
  await insertEntry(tx, id, { userId: null, name: ruleTitle }, { kind: 'created', at })
  const rule = system(`rule ${ruleId}`)
  await note(tx, rule, 'create', { id, number, subject, accountId }, { twin: place.title, type })
  await tell(ctx, tx, accountId, { ticketId: id, what: 'created', by: null, at })
  return { is: 'new', number, scopeId }
}
