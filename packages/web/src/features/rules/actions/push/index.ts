import type { PushAction } from '@leitstand/contract/rules/actions/push'
import { IconBellRinging } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import { textFaults } from '../texts.ts'
import type { ActionKind } from '../types.ts'

export const push: ActionKind<PushAction, PushAction, PushAction> = {
  icon: IconBellRinging,
  isTestable: true,
  max: 5,
  create: (text) => ({
    kind: 'push',
    userIds: [],
    title: text('rules.defaults.pushTitle'),
    body: text('rules.defaults.push'),
  }),
  toDraft: (action) => action,
  fromDraft: (draft) => draft,
  faults: ({ userIds, title, body }, context) => [
    ...(userIds.length === 0 ? [{ field: 'userIds', key: 'noRecipient' }] : []),
    ...textFaults(title, 'title', context, { required: true }),
    ...textFaults(body, 'body', context, { required: false }),
  ],
  toTemplate: (action) => action,
  fromTemplate: (action) => action,
  stateKeys: () => [],
  Form: onDemand(() => import('./PushForm.tsx')),
}
