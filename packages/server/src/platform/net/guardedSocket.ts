import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { AppError } from '../errors.ts'
import type { Outgoing } from './outgoing.ts'

/** Where a socket may lead. */
export type SocketGuard = Pick<Outgoing, 'addressOf' | 'allows'>

/** What a name stands for, when the platform may connect there. The answer is what is connected to, not the name. */
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
 * A socket to a host that a user has entered. Refused as the socket's error: AppError OUTGOING_ADDRESS_FORBIDDEN or
 * OUTGOING_HOST_UNKNOWN.
 * @param tls with the certificate checked, or not
 */
export function guardedSocket(
  outgoing: SocketGuard,
  { host, port }: { host: string; port: number },
  tls: { rejectUnauthorized: boolean } | null,
): Socket {
  // An address needs no lookup, so nobody would be asked: one that is refused gets a name that stands for nothing.
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
