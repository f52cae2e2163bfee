import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

const timeoutMs = 1500
const tries = 2

/** `unanswered`: no DNS server said anything, or not in time. */
export type NameAnswer = 'known' | 'unknown' | 'unanswered'

/** Whether a text names a DNS server: an IP address, with a port if it is not 53 (`10.0.0.53`, `[fd00::53]:5353`). */
export function isDnsServer(text: string): boolean {
  if (isIP(text) !== 0) return true
  const [, address = '', port = ''] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(text) ?? []
  const version = isIP(address)
  return (
    (version === 4 || (version === 6 && text.startsWith('['))) && Number(port) > 0 && Number(port) < 65536
  )
}

/** Asks the DNS which names there are. */
export class Names {
  readonly #servers: readonly string[]

  /** @param servers empty: those of the system */
  constructor(servers: readonly string[]) {
    this.#servers = servers
  }

  /** Whether the DNS knows a name, whatever it stands for. Takes a few seconds at most. */
  async ask(name: string): Promise<NameAnswer> {
    const resolver = new Resolver({ timeout: timeoutMs, tries })
    if (this.#servers.length > 0) resolver.setServers(this.#servers)
    try {
      await resolver.resolve4(name)
      return 'known'
    } catch (error) {
      return answerOf((error as NodeJS.ErrnoException).code)
    }
  }
}

/** No data: the name is there, though without an IPv4 address. */
function answerOf(code: string | undefined): NameAnswer {
  if (code === 'ENODATA') return 'known'
  return code === 'ENOTFOUND' ? 'unknown' : 'unanswered'
}
