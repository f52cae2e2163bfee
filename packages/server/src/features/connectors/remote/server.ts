import type { RemoteSystem } from '@leitstand/contract/bridge'
import { type RemoteDevice, remoteLimits } from '@leitstand/contract/remote'
import type { Context } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { guardedFetch } from '../../../platform/net/guardedFetch.ts'
import type { RemoteSettings } from './access.ts'
import { asker } from './ask.ts'
import { chirpstack } from './chirpstack.ts'
import { tts } from './tts.ts'
import type { PageWanted, RemotePage, RemoteProtocol } from './types.ts'

/** Large enough for a page of a thousand devices. */
const answerLimits = { timeoutMs: 10_000, bytesMax: 4 * 1_048_576 } as const

const protocols: Readonly<Record<Exclude<RemoteSystem, 'none'>, RemoteProtocol>> = {
  'tts-v3': tts,
  'chirpstack-v4': chirpstack,
}

/** The devices of an application on a network server. All calls share one timeout. */
export interface RemoteServer {
  list(page: PageWanted): Promise<RemotePage>
  get(remoteId: string): Promise<RemoteDevice | undefined>
  find(externalId: string): Promise<RemoteDevice | undefined>
  remove(device: RemoteDevice): Promise<void>
}

/**
 * The network server that the settings refer to.
 * @param settings with decrypted secrets
 * @throws AppError REMOTE_NOT_SUPPORTED
 */
export function serverOf({ outgoing }: Pick<Context, 'outgoing'>, settings: RemoteSettings): RemoteServer {
  const { remote, remoteUrl: url, remoteApplication: application, remoteKey } = settings
  if (remote === 'none') throw new AppError('REMOTE_NOT_SUPPORTED')
  const protocol = protocols[remote]
  const headers = protocol.headers(remoteKey)
  const fetch = guardedFetch(outgoing, answerLimits)
  const ask = asker(fetch, { url, headers }, AbortSignal.timeout(remoteLimits.timeoutMs))
  const access = { ask, url, application }
  return {
    list: (page) => protocol.list(access, page),
    get: (remoteId) => protocol.get(access, remoteId),
    find: (externalId) => protocol.find(access, externalId),
    remove: (device) => protocol.remove(access, device),
  }
}
