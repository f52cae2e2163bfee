import { AppError } from '../../../platform/errors.ts'
import type { SocketGuard } from '../../../platform/net/guardedSocket.ts'
import { Outgoing } from '../../../platform/net/outgoing.ts'
import { TargetError } from '../types.ts'

const publicInternet = new Outgoing([])

/**
 * Refuses an address without TLS outside the operator's own networks, and one that is not open to users: passwords and files
 * do not go through the internet for everybody to read.
 * @throws TargetError
 */
export async function demandTls(outgoing: Pick<SocketGuard, 'addressOf'>, address: string): Promise<void> {
  const { protocol, hostname } = new URL(address)
  try {
    const found = await outgoing.addressOf(hostname)
    if (protocol !== 'https:' && publicInternet.allows(found))
      throw new TargetError('forbidden', 'Addresses on the internet need https.')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const failure = error.code === 'OUTGOING_ADDRESS_FORBIDDEN' ? 'forbidden' : 'unreachable'
    throw new TargetError(failure, error.message, { cause: error })
  }
}
