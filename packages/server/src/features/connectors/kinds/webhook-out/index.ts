import type { ConnectorSettings } from '@leitstand/contract/connectors/kinds/index'
import { WebhookOutSettings as schema } from '@leitstand/contract/connectors/kinds/webhook-out'
import { neutralName } from '../../../../platform/brands.ts'
import type { Context } from '../../../../platform/context.ts'
import { messageOf } from '../../../../platform/errors.ts'
import { guardedFetch } from '../../../../platform/net/guardedFetch.ts'
import { attemptOfError, attemptOfStatus } from '../../outgoing/answers.ts'
import type { Deliver, Kind } from '../types.ts'

type Settings = ConnectorSettings['webhook-out']

const answerLimits = { timeoutMs: 10_000, bytesMax: 64 * 1024 } as const

/** Outgoing webhook: rules post their messages to the address of another system. */
export const webhookOut: Kind<Settings> = {
  schema,
  presets: [],
  secrets: {
    headerValue: {
      isSealed: true,
      audience: ({ url, headerName }) => `${URL.parse(url)?.origin ?? ''} ${headerName}`,
    },
  },
  appliedAtOnce: ['url', 'method', 'headerName', 'headerValue'],
  check: async ({ url, headerName, headerValue }, { outgoing }) => {
    if (headerName !== '' && headerValue === '') {
      const message = 'The header needs a value'
      return [{ name: 'headerValue', ok: false, message, reason: 'valueMissing' }]
    }
    try {
      await outgoing.addressOf(new URL(url).hostname)
      return [{ name: 'url', ok: true, message: '' }]
    } catch (error) {
      return [{ name: 'url', ok: false, message: messageOf(error) }]
    }
  },
  open: ({ ctx }) => ({ deliver: postDelivery(ctx) }),
}

function postDelivery({ outgoing }: Pick<Context, 'outgoing'>): Deliver<Settings> {
  const fetch = guardedFetch(outgoing, answerLimits)
  return {
    send: async ({ settings }, { id, contentType, body, isTest }, signal) => {
      const { url, method, headerName, headerValue } = settings
      const headers = {
        'content-type': contentType,
        'idempotency-key': id,
        'user-agent': neutralName,
        ...(isTest ? { 'test-message': 'true' } : {}),
        ...(headerName === '' ? {} : { [headerName]: headerValue }),
      }
      try {
        const { status } = await fetch(url, { method, headers, body, signal })
        return attemptOfStatus(status)
      } catch (error) {
        return attemptOfError(error)
      }
    },
  }
}
