import type { ConnectorSettings } from '@leitstand/contract/connectors/kinds/index'
import { WebhookInSettings as schema } from '@leitstand/contract/connectors/kinds/webhook-in'
import { messageOf } from '../../../../platform/errors.ts'
import { remoteAccess } from '../../remote/access.ts'
import type { Kind } from '../types.ts'
import { postCommand } from './command.ts'
import { mountHooks } from './route.ts'

/**
 * Incoming webhook: clients that know its address post messages to it (see `route.ts`). It has nothing to
 * connect to, so it listens from the start.
 */
export const webhookIn: Kind<ConnectorSettings['webhook-in']> = {
  schema,
  presets: ['standard', 'tts-v3', 'chirpstack-v4', 'template'],
  secrets: {
    downlinkKey: {
      isSealed: true,
      // Connectors created before downlinks existed are stored without a URL.
      audience: ({ downlinkUrl }) => URL.parse(downlinkUrl ?? '')?.origin ?? '',
    },
    ...remoteAccess.secrets,
  },
  hasKey: true,
  appliedAtOnce: ['downlinks', 'downlinkUrl', 'downlinkKey'],
  check: async ({ downlinks, downlinkUrl, downlinkKey }, { outgoing }) => {
    if (downlinks === 'none') return []
    const message = 'Downlinks need a key of the network server'
    if (downlinkKey === '') return [{ name: 'downlinkKey', ok: false, message, reason: 'keyMissing' }]
    try {
      await outgoing.addressOf(new URL(downlinkUrl).hostname)
      return [{ name: 'downlinkUrl', ok: true, message: '' }]
    } catch (error) {
      return [{ name: 'downlinkUrl', ok: false, message: messageOf(error) }]
    }
  },
  manage: remoteAccess,
  open: (tools) => {
    mountHooks(tools)
    return {
      receive: async (connector) => {
        connector.setState('listening', '')
        return async () => {}
      },
      command: postCommand(tools.ctx),
      endpoints: () => [`${tools.ctx.config.publicUrl}/api/hooks`],
    }
  },
}
