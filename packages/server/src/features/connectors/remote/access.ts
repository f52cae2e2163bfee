import type { RemoteSystem } from '@leitstand/contract/connectors/parts'
import type { Context } from '../../../platform/context.ts'
import { messageOf } from '../../../platform/errors.ts'
import type { Check, Secret, Trying } from '../kinds/types.ts'
import { type RemoteServer, serverOf } from './server.ts'

/** Settings for access to the devices of a network server; older connectors lack them. */
export interface RemoteSettings {
  remote: RemoteSystem
  remoteUrl: string
  remoteApplication: string
  remoteKey: string
}

/** How connectors of a kind manage devices on their network server. */
export interface RemoteAccess<S> {
  readonly secrets: Readonly<Record<string, Secret<S>>>
  /** Tests the access if it changed or if connections are to be tested. */
  check(settings: S, ctx: Context, trying: Trying<S>): Promise<Check[]>
  systemOf(settings: S): RemoteSystem
  /**
   * @param settings with decrypted secrets
   * @throws AppError REMOTE_NOT_SUPPORTED
   */
  serverOf(ctx: Pick<Context, 'outgoing'>, settings: S): RemoteServer
}

/**
 * Access through the settings common to all kinds with network servers (`remoteSettings` of the contract).
 */
export const remoteAccess: RemoteAccess<RemoteSettings> = {
  secrets: {
    remoteKey: {
      isSealed: true,
      audience: ({ remoteUrl }) => URL.parse(remoteUrl ?? '')?.origin ?? '',
    },
  },
  systemOf: ({ remote }) => remote ?? 'none',
  serverOf,
  check: async (settings, ctx, { stored, connect }) => {
    const { remote, remoteUrl, remoteApplication, remoteKey } = settings
    const access = { remote, remoteUrl, remoteApplication, remoteKey }
    if (remote === 'none') return []
    if (remoteKey === '')
      return [
        { name: 'remoteKey', ok: false, message: 'The network server needs a key', reason: 'keyMissing' },
      ]
    const isChanged =
      stored !== null &&
      Object.entries(access).some(([name, value]) => stored[name as keyof RemoteSettings] !== value)
    if (!connect && !isChanged) return []
    try {
      await serverOf(ctx, access).list({ search: '', offset: 0, limit: 1 })
      return [{ name: 'remote', ok: true, message: '' }]
    } catch (error) {
      return [{ name: 'remote', ok: false, message: messageOf(error) }]
    }
  },
}
