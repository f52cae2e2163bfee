import { messageOf } from '../../../platform/errors.ts'
import type { Check, Kind, KindTools, Trying } from '../kinds/types.ts'
import { remoteOf, serverOf } from './server.ts'

/** What every kind's settings have of the network server behind a connector. */
interface RemoteSettings {
  remote: string
  remoteUrl: string
  remoteApplication: string
  remoteKey: string
}

/**
 * A kind whose connectors may have access to the devices of a network server: its key is a secret of its own that goes
 * to its own address, and is tried like everything else.
 */
export function withRemote<S extends RemoteSettings>(kind: Kind<S>): Kind<S> {
  return {
    ...kind,
    capabilities: ['device-management', ...kind.capabilities],
    secrets: [...kind.secrets, 'remoteKey'],
    sealed: [...kind.sealed, 'remoteKey'],
    // Connectors that are older than this access are stored without it.
    audience: (settings, secret) =>
      secret === 'remoteKey'
        ? (URL.parse(settings.remoteUrl ?? '')?.origin ?? '')
        : kind.audience(settings, secret),
    check: async (settings, tools, trying) => [
      ...(await kind.check(settings, tools, trying)),
      ...(await checkRemote(settings, tools, trying)),
    ],
  }
}

async function checkRemote<S extends RemoteSettings>(
  settings: S,
  { ctx }: KindTools,
  { stored, connect }: Trying<S>,
): Promise<Check[]> {
  const { remote, remoteUrl, remoteApplication, remoteKey } = settings
  const access = { remote, remoteUrl, remoteApplication, remoteKey }
  if (remoteOf(access) === 'none') return []
  if (remoteKey === '') return [{ name: 'remoteKey', ok: false, message: 'The network server needs a key' }]
  const isChanged =
    stored !== null && Object.entries(access).some(([name, value]) => stored[name as keyof S] !== value)
  if (!connect && !isChanged) return []
  try {
    await serverOf(ctx, access).list({ search: '', offset: 0, limit: 1 })
    return [{ name: 'remote', ok: true, message: '' }]
  } catch (error) {
    return [{ name: 'remote', ok: false, message: messageOf(error) }]
  }
}
