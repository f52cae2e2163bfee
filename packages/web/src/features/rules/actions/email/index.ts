import { type EmailAction, RecipientAddress } from '@leitstand/contract/rules/actions/email'
import { IconMail } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import { textFaults } from '../texts.ts'
import type { ActionFault, ActionKind } from '../types.ts'
import { chartedAliases } from './charted.ts'

/** As in the contract. */
const mailsMax = 5

/** Problems with the addresses in a field. */
export function recipientFaults(recipients: readonly string[], field: string): ActionFault[] {
  if (recipients.length === 0) return [{ field, key: 'noRecipient' }]
  const isFine = recipients.every((address) => RecipientAddress.safeParse(address).success)
  return isFine ? [] : [{ field, key: 'notAnAddress' }]
}

export const email: ActionKind<EmailAction, EmailAction, EmailAction> = {
  icon: IconMail,
  isTestable: true,
  max: mailsMax,
  create: (text) => ({
    kind: 'email',
    recipients: [],
    subject: text('rules.defaults.subject'),
    body: text('rules.defaults.body'),
  }),
  toDraft: (action) => action,
  fromDraft: (draft) => draft,
  faults({ recipients, subject, body, charts }, context) {
    const charted = chartedAliases(context.metrics)
    return [
      ...recipientFaults(recipients, 'recipients'),
      ...textFaults(subject, 'subject', context, { required: true }),
      ...textFaults(body, 'body', context, { required: false }),
      ...(charts?.metrics ?? [])
        .filter((alias) => !charted.includes(alias))
        .map((name) => ({ field: 'charts', key: 'noChart', name })),
    ]
  },
  toTemplate: (action) => action,
  fromTemplate: (action) => action,
  stateKeys: () => [],
  Form: onDemand(() => import('./EmailForm.tsx')),
}
