import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { AppError } from '../errors.ts'
import type { Outgoing } from './outgoing.ts'

/** Decides where a socket may connect. */
export type SocketGuard = Pick<Outgoing, 'addressOf' | 'allows'>

/**
 * Resolves a name and checks the address. The socket connects to this address, so the name is not resolved
 * again.
 */
function lookupThrough(outgoing: SocketGuard): LookupFunction {
  return (host, options, callback) => {
    outgoing.addressOf(host).then(
      (address) => {
        const family = isIP(address)
        if (options.all) callback(null, [{ address, family }])
        else callback(null, address, family)
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    )
  }
}

/**
 * A socket to a host that a user has entered. A refusal is emitted as the socket's error: AppError
 * OUTGOING_ADDRESS_FORBIDDEN or OUTGOING_HOST_UNKNOWN.
 * @param tls whether to use TLS, and whether to check the certificate
 */
export function guardedSocket(
  outgoing: SocketGuard,
  { host, port }: { host: string; port: number },
  tls: { rejectUnauthorized: boolean } | null,
): Socket {
  // An IP address skips the look-up and so the check; a forbidden one is replaced by a name that does not
  // exist.
  if (isIP(host) !== 0 && !outgoing.allows(host)) {
    const refusal = new AppError('OUTGOING_ADDRESS_FORBIDDEN', { host })
    return connect({
      host: 'refused.invalid',
      port,
      lookup: (_name, _options, callback) => callback(refusal, ''),
    })
  }
  const to = { host, port, lookup: lookupThrough(outgoing) }
  if (tls === null) return connect(to)
  return connectTls({ ...to, ...tls, ...(isIP(host) === 0 ? { servername: host } : {}) })
}
