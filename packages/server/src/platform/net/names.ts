import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

const timeoutMs = 1500
const tries = 2

/** `unanswered`: no DNS server replied in time. */
export type NameAnswer = 'known' | 'unknown' | 'unanswered'

/**
 * Whether a text is the address of a DNS server: an IP address, with a port if it is not 53 (`10.0.0.53`,
 * `[fd00::53]:5353`).
 */
export function isDnsServer(text: string): boolean {
  if (isIP(text) !== 0) return true
  const [, address = '', port = ''] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(text) ?? []
  const version = isIP(address)
  return (
    (version === 4 || (version === 6 && text.startsWith('['))) && Number(port) > 0 && Number(port) < 65536
  )
}

/** DNS look-ups. */
export class Names {
  readonly #servers: readonly string[]

  /** @param servers empty: the system's servers */
  constructor(servers: readonly string[]) {
    this.#servers = servers
  }

  /** Whether a name exists in the DNS, with any record type. Takes a few seconds at most. */
  async ask(name: string): Promise<NameAnswer> {
    try {
      await this.#resolver().resolve4(name)
      return 'known'
    } catch (error) {
      return answerOf((error as NodeJS.ErrnoException).code)
    }
  }

  /** The TXT records of a name; null when no DNS server replied. */
  async texts(name: string): Promise<string[] | null> {
    try {
      return (await this.#resolver().resolveTxt(name)).map((parts) => parts.join(''))
    } catch (error) {
      return answerOf((error as NodeJS.ErrnoException).code) === 'unanswered' ? null : []
    }
  }

  /** The IP addresses of a name, IPv4 first; empty when there are none or no server replied. */
  async addresses(name: string): Promise<string[]> {
    const resolver = this.#resolver()
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  }

  #resolver(): Resolver {
    const resolver = new Resolver({ timeout: timeoutMs, tries })
    if (this.#servers.length > 0) resolver.setServers(this.#servers)
    return resolver
  }
}

/** No data: the name exists, but has no IPv4 address. */
function answerOf(code: string | undefined): NameAnswer {
  if (code === 'ENODATA') return 'known'
  return code === 'ENOTFOUND' ? 'unknown' : 'unanswered'
}
