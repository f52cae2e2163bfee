import type { ConnectorCommandAction } from '@leitstand/contract/rules/actions/connector-command'
import { messagesThrough } from '../connectors.ts'
import { checkJson, MessageTooLarge, renderJson, renderMessage, renderTopic } from '../messages.ts'
import { checkText } from '../texts.ts'
import type { ActionKind, Moment } from '../types.ts'

/** `payload` null: it would be too large. */
export interface ConnectorCommandEffect {
  kind: 'connector-command'
  connectorId: number
  topic: string
  payload: string | null
}

export const connectorCommand: ActionKind<
  ConnectorCommandAction,
  ConnectorCommandAction,
  ConnectorCommandEffect
> = {
  isLasting: false,
  setsState: false,
  check: ({ topic, format, payload }, { aliases }) => [
    ...checkText(topic, aliases, ['topic']),
    ...checkText(payload, aliases, ['payload']),
    ...(format === 'json' ? checkJson(payload, ['payload']) : []),
  ],
  checkStates: () => [],
  uses: ({ connectorId }) => [{ kind: 'connector', id: connectorId, note: 'sends' }],
  texts: ({ topic, payload }) => [topic, payload],
  withStates: (action) => action,
  withOwnStates: (action) => action,
  stateKeys: () => [],
  run: ({ kind, connectorId, topic, format, payload }, moment) => ({
    kind,
    connectorId,
    topic: renderTopic(topic, moment),
    payload: payloadOf(format, payload, moment),
  }),
  record: ({ kind, topic }) => ({ kind, ok: false, detail: topic }),
  create: (tools) =>
    messagesThrough(tools, {
      kind: 'connector-command',
      may: ({ publishes }) => publishes,
      needs: 'command',
      connectorsOf: (actions) =>
        actions.map((action) => (action.kind === 'connector-command' ? action.connectorId : null)),
      contentOf: ({ effect: { topic, payload } }) => (payload === null ? null : { topic, payload }),
      refusalOf: ({ effect }, connector) => (connector.mayPublish(effect.topic) ? null : 'topicForbidden'),
    }),
}

function payloadOf(format: 'json' | 'text', payload: string, moment: Moment): string | null {
  try {
    return format === 'json' ? renderJson(payload, moment) : renderMessage(payload, moment)
  } catch (error) {
    if (error instanceof MessageTooLarge) return null
    throw error
  }
}
