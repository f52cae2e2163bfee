import type { WebhookAction } from '@leitstand/contract/rules/actions/webhook'
import { IconWebhook } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import { jsonFaults, textFaults } from '../texts.ts'
import type { ActionKind } from '../types.ts'

/** While editing, the connector may not be selected yet. */
export interface WebhookDraft extends Omit<WebhookAction, 'connectorId'> {
  connectorId: number | null
}

export const webhook: ActionKind<WebhookAction, WebhookAction, WebhookDraft> = {
  icon: IconWebhook,
  isTestable: true,
  max: 20,
  create: () => ({ kind: 'webhook', connectorId: null, format: 'standard', text: '' }),
  toDraft: (action) => action,
  fromDraft: ({ connectorId, ...draft }) => (connectorId === null ? null : { ...draft, connectorId }),
  faults: ({ connectorId, format, text }, context) => [
    ...(connectorId === null ? [{ field: 'connectorId', key: 'required' }] : []),
    ...(format === 'standard' ? [] : textFaults(text, 'text', context, { required: true })),
    ...(format === 'json' ? jsonFaults(text, 'text') : []),
  ],
  toTemplate: (action) => action,
  fromTemplate: (action) => action,
  stateKeys: () => [],
  Form: onDemand(() => import('./WebhookForm.tsx')),
}
