import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { AppError } from '../errors.ts'

/** Networks that are not the public internet (IANA special-purpose registries), IPv4. */
const closed4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
]
/** Of IPv6 only this range is the public internet, … */
const public6 = ['2000::/3']
/** … except the reserved ranges, and those that embed an IPv4 address, which would have to be checked too. */
const closed6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/** One network in CIDR notation, e.g. `10.0.0.0/8` or `fd00::/8`; a single address counts as a network of its own. */
export interface Network {
  address: string
  prefix: number
  family: 'ipv4' | 'ipv6'
}

/** @returns undefined when the text is not a network */
export function readNetwork(text: string): Network | undefined {
  const [address = '', length, ...more] = text.trim().split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return undefined
  const bits = version === 4 ? 32 : 128
  const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN
  if (!(prefix <= bits)) return undefined
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' }
}

/**
 * Decides where the platform may connect when a user enters an address: the public internet, and the networks
 * the operator allows. Everything else is refused, because the server may reach hosts that outsiders cannot:
 * this machine, its network, the metadata service of a cloud.
 */
export class Outgoing {
  readonly #allowed: BlockList
  readonly #closed = listOf([...closed4, ...closed6])
  readonly #public6 = listOf(public6)

  /** @param allowedNetworks in CIDR notation, as accepted by `readNetwork` */
  constructor(allowedNetworks: readonly string[]) {
    this.#allowed = listOf(allowedNetworks)
  }

  /** Whether the platform may connect to this IP address. */
  allows(address: string): boolean {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (isIP(address) === 0) return false
    if (this.#allowed.check(address, family)) return true
    if (family === 'ipv6' && !this.#public6.check(address, family)) return false
    return !this.#closed.check(address, family)
  }

  /**
   * The address to connect to for a host that a user entered. Connect to it and not to the name, which may
   * resolve to another address a moment later.
   * @param host name or IP address, IPv6 with or without brackets
   * @throws AppError OUTGOING_HOST_UNKNOWN, OUTGOING_ADDRESS_FORBIDDEN when one of its addresses is not
   * allowed
   */
  async addressOf(host: string): Promise<string> {
    const name = host.replace(/^\[|\]$/g, '')
    const found = isIP(name) === 0 ? await addressesOf(name) : [name]
    const [first] = found
    if (first === undefined) throw new AppError('OUTGOING_HOST_UNKNOWN', { host: name })
    if (!found.every((address) => this.allows(address)))
      throw new AppError('OUTGOING_ADDRESS_FORBIDDEN', { host: name })
    return first
  }
}

async function addressesOf(name: string): Promise<string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address)
  } catch (cause) {
    throw Object.assign(new AppError('OUTGOING_HOST_UNKNOWN', { host: name }), { cause })
  }
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of networks) {
    const network = readNetwork(text)
    if (network === undefined) throw new Error(`${text} is no network`)
    list.addSubnet(network.address, network.prefix, network.family)
  }
  return list
}
