import type { TicketAction } from '@leitstand/contract/rules/actions/ticket'
import { ticketLimits } from '@leitstand/contract/tickets'
import type { Raised } from '../../../tickets/index.ts'
import { refuseIssues } from '../../issues.ts'
import { renderLine, renderText } from '../../render.ts'
import type { RecordedAction } from '../../store/pipeline.ts'
import type { Issue } from '../../types.ts'
import { sending } from '../sending.ts'
import { checkText } from '../texts.ts'
import type { ActionKind } from '../types.ts'

export interface TicketEffect extends Pick<TicketAction, 'kind' | 'type' | 'priority'> {
  subject: string
  comment: string
}

/** Characters of the description, with its values filled in. */
const commentMax = 4000

export const ticket: ActionKind<TicketAction, TicketAction, TicketEffect> = {
  isLasting: false,
  setsState: false,
  check: ({ subject, comment }, { aliases }) => [
    ...checkText(subject, aliases, ['subject']),
    ...checkText(comment, aliases, ['comment']),
  ],
  checkStates: () => [],
  uses: () => [],
  texts: ({ subject, comment }) => [subject, comment],
  withStates: (action) => action,
  withOwnStates: (action) => action,
  stateKeys: () => [],
  run: ({ kind, type, priority, subject, comment }, moment) => ({
    kind,
    type,
    priority,
    subject: (renderLine(subject, moment) || moment.ruleTitle)
      .slice(0, ticketLimits.subjectMax)
      .toWellFormed(),
    comment: renderText(comment, moment).slice(0, commentMax).toWellFormed(),
  }),
  record: ({ kind, subject }) => ({ kind, ok: false, detail: subject }),
  create({ tickets }) {
    const changed = new Set<number>()
    return {
      // Who lets a rule report something must be allowed to report it.
      async saved(tx, { caller, twinId }, actions) {
        if (!actions.some(({ kind }) => kind === 'ticket')) return
        if (await tickets.mayReport(tx, caller, twinId)) return
        refuseIssues(
          actions.flatMap(({ kind }, index): Issue[] =>
            kind === 'ticket'
              ? [
                  {
                    path: ['actions', String(index), 'subject'],
                    message: 'no right to report faults at this twin',
                    text: 'ticketForbidden',
                  },
                ]
              : [],
          ),
        )
      },
      send: sending('ticket', async (tx, sent) => {
        const recorded: RecordedAction[] = []
        // Accounts are locked in one order.
        const ordered = [...sent.entries()].toSorted(
          ([, a], [, b]) => a.origin.accountId - b.origin.accountId,
        )
        for (const [index, { origin, effect }] of ordered) {
          const { kind, ...report } = effect
          const { ruleId, ruleTitle, twinId } = origin
          // Only stored rules send; a test has no ticket.
          if (ruleId === null) throw new Error('a rule that is not stored makes no ticket')
          const raised = await tickets.raise(tx, { ...report, ruleId, ruleTitle, twinId })
          if ('scopeId' in raised) changed.add(raised.scopeId)
          recorded[index] = { kind, ...outcomeOf(raised, effect) }
        }
        return recorded
      }),
      committed() {
        tickets.announce([...changed])
        changed.clear()
      },
    }
  },
}

function outcomeOf(raised: Raised, { subject }: TicketEffect): { ok: boolean; detail: string } {
  switch (raised.is) {
    case 'new':
      return { ok: true, detail: `#${raised.number} ${subject}` }
    case 'open':
      return { ok: true, detail: `#${raised.number}` }
    case 'noPlace':
      return { ok: false, detail: 'no_place' }
    case 'limit':
      return { ok: false, detail: 'too_many_tickets' }
  }
}
