import {
  type ConnectorCommandAction as Action,
  ConnectorCommandAction,
} from '@leitstand/contract/rules/actions/connector-command'
import { IconTerminal2 } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import { jsonFaults, textFaults } from '../texts.ts'
import type { ActionKind } from '../types.ts'

/** While editing, the connector may not be selected yet. */
export interface CommandDraft extends Omit<Action, 'connectorId'> {
  connectorId: number | null
}

const { topic: Topic } = ConnectorCommandAction.shape

export const connectorCommand: ActionKind<Action, Action, CommandDraft> = {
  icon: IconTerminal2,
  isTestable: true,
  max: 20,
  create: () => ({
    kind: 'connector-command',
    connectorId: null,
    topic: '',
    format: 'json',
    payload: '{ "on": true }',
  }),
  toDraft: (action) => action,
  fromDraft: ({ connectorId, ...draft }) => (connectorId === null ? null : { ...draft, connectorId }),
  faults: ({ connectorId, topic, format, payload }, context) => [
    ...(connectorId === null ? [{ field: 'connectorId', key: 'required' }] : []),
    ...(topic.trim() !== '' && !Topic.safeParse(topic).success ? [{ field: 'topic', key: 'topic' }] : []),
    ...textFaults(topic, 'topic', context, { required: true }),
    ...textFaults(payload, 'payload', context, { required: false }),
    ...(format === 'json' ? jsonFaults(payload, 'payload') : []),
  ],
  toTemplate: (action) => action,
  fromTemplate: (action) => action,
  stateKeys: () => [],
  Form: onDemand(() => import('./CommandForm.tsx')),
}
