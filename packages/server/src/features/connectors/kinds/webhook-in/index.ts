import { WebhookInSettings as schema, type WebhookInSettings } from '@leitstand/contract/bridge'
import type { Kind } from '../types.ts'

/**
 * Incoming webhook: whoever has its address posts messages there (see `route.ts`). There is nothing to connect to, so
 * it listens from the start.
 */
export const webhookIn: Kind<WebhookInSettings> = {
  kind: 'webhook-in',
  direction: 'in',
  capabilities: ['data-source', 'ingestion'],
  presets: ['standard', 'tts-v3', 'chirpstack-v4', 'template'],
  schema,
  secrets: [],
  sealed: [],
  audience: () => '',
  hasKey: true,
  seal: async (settings) => settings,
  check: async () => [],
  start: async (connector) => {
    connector.setState('listening', '')
    return async () => {}
  },
  endpoints: ({ key }, { ctx }) => (key === null ? [] : [`${ctx.config.publicUrl}/api/hooks/${key}`]),
}
