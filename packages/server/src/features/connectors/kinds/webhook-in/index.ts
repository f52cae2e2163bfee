import { WebhookInSettings as schema, type WebhookInSettings } from '@leitstand/contract/bridge'
import { messageOf } from '../../../../platform/errors.ts'
import type { Kind } from '../types.ts'

/**
 * Incoming webhook: whoever has its address posts messages there (see `route.ts`). There is nothing to connect to, so
 * it listens from the start.
 */
export const webhookIn: Kind<WebhookInSettings> = {
  kind: 'webhook-in',
  direction: 'in',
  capabilities: ['data-source', 'commands', 'ingestion'],
  presets: ['standard', 'tts-v3', 'chirpstack-v4', 'template'],
  schema,
  secrets: ['downlinkKey'],
  sealed: ['downlinkKey'],
  // Connectors that are older than downlinks are stored without an address.
  audience: ({ downlinkUrl }) => URL.parse(downlinkUrl ?? '')?.origin ?? '',
  hasKey: true,
  seal: async (settings) => settings,
  check: async ({ downlinks, downlinkUrl, downlinkKey }, { ctx }) => {
    if (downlinks === 'none') return []
    const named = { name: 'downlinkKey', ok: downlinkKey !== '', message: '' }
    if (!named.ok) return [{ ...named, message: 'Downlinks need a key of the network server' }]
    try {
      await ctx.outgoing.addressOf(new URL(downlinkUrl).hostname)
      return [{ name: 'downlinkUrl', ok: true, message: '' }]
    } catch (error) {
      return [{ name: 'downlinkUrl', ok: false, message: messageOf(error) }]
    }
  },
  start: async (connector) => {
    connector.setState('listening', '')
    return async () => {}
  },
  endpoints: ({ ctx }) => [`${ctx.config.publicUrl}/api/hooks`],
}
