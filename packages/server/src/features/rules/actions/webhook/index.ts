import type { WebhookAction } from '@leitstand/contract/rules/actions/webhook'
import { messagesThrough } from '../connectors.ts'
import { checkJson, MessageTooLarge, renderJson, renderMessage } from '../messages.ts'
import type { Origin } from '../sending.ts'
import { checkText } from '../texts.ts'
import type { ActionKind, Moment } from '../types.ts'

interface Standard {
  format: 'standard'
  at: Date
  values: unknown
}

/** `content` null: it would be too large. The usual content is completed with the ids of rule and twin. */
export interface WebhookEffect {
  kind: 'webhook'
  connectorId: number
  content: Standard | { format: 'json'; body: string } | { format: 'text'; body: string } | null
}

export const webhook: ActionKind<WebhookAction, WebhookAction, WebhookEffect> = {
  isLasting: false,
  setsState: false,
  check: ({ format, text }, { aliases }) =>
    format === 'standard'
      ? []
      : [...checkText(text, aliases, ['text']), ...(format === 'json' ? checkJson(text, ['text']) : [])],
  checkStates: () => [],
  uses: ({ connectorId }) => [{ kind: 'connector', id: connectorId, note: 'sends' }],
  texts: ({ format, text }) => (format === 'standard' ? [] : [text]),
  withStates: (action) => action,
  withOwnStates: (action) => action,
  stateKeys: () => [],
  run: ({ kind, connectorId, format, text }, moment) => ({
    kind,
    connectorId,
    content: contentOf(format, text, moment),
  }),
  record: ({ kind }) => ({ kind, ok: false, detail: '' }),
  create(tools) {
    return messagesThrough(tools, {
      kind: 'webhook',
      may: ({ delivers }) => delivers,
      needs: 'use',
      connectorsOf: (actions) =>
        actions.map((action) => (action.kind === 'webhook' ? action.connectorId : null)),
      contentOf: ({ effect, origin }) => {
        const { content } = effect
        if (content === null) return null
        const isTest = origin.test !== undefined
        if (content.format === 'text') {
          const body = isTest ? `[Test] ${content.body}` : content.body
          return { contentType: 'text/plain; charset=utf-8', body, isTest }
        }
        const body = content.format === 'json' ? content.body : standardBody(origin, content)
        return { contentType: 'application/json', body, isTest }
      },
    })
  },
}

function contentOf(format: WebhookAction['format'], text: string, moment: Moment): WebhookEffect['content'] {
  if (format === 'standard') return { format, at: moment.at, values: moment.inputs }
  try {
    return { format, body: format === 'json' ? renderJson(text, moment) : renderMessage(text, moment) }
  } catch (error) {
    if (error instanceof MessageTooLarge) return null
    throw error
  }
}

function standardBody(
  { ruleId, ruleTitle, twinId, twinTitle, test }: Origin,
  { at, values }: Standard,
): string {
  return JSON.stringify({
    rule: { id: ruleId, title: ruleTitle },
    twin: { id: twinId, title: twinTitle },
    time: at.toISOString(),
    values,
    ...(test ? { test: true } : {}),
  })
}
