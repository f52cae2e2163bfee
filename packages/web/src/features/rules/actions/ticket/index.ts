import type { TicketAction } from '@leitstand/contract/rules/actions/ticket'
import { IconTicket } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import { textFaults } from '../texts.ts'
import type { ActionKind } from '../types.ts'

export const ticket: ActionKind<TicketAction, TicketAction, TicketAction> = {
  icon: IconTicket,
  isTestable: false,
  max: 3,
  create: (text) => ({
    kind: 'ticket',
    type: 'defect',
    subject: text('rules.defaults.ticket'),
    comment: '',
    priority: 'normal',
  }),
  toDraft: (action) => action,
  fromDraft: (draft) => draft,
  faults: ({ subject, comment }, context) => [
    ...textFaults(subject, 'subject', context, { required: true }),
    ...textFaults(comment, 'comment', context, { required: false }),
  ],
  toTemplate: (action) => action,
  fromTemplate: (action) => action,
  stateKeys: () => [],
  Form: onDemand(() => import('./TicketForm.tsx')),
}
