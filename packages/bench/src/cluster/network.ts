import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'

/** Where a program runs, and how it is reached. */
export interface Place {
  /** its address */
  host: string
  /** the command, with its arguments, that runs another command there; empty for this machine as it is */
  enter: readonly string[]
}

/** This machine as it is. */
export const here: Place = { host: '127.0.0.1', enter: [] }

/** Addresses for measurements of networks (RFC 2544), which nothing else uses. */
export const measuredNetwork = '198.18.0.0/15'

const run = promisify(execFile)
const ip = async (...words: string[]) => void (await run('ip', words))

/**
 * A network of its own for each of several programs, all joined by a bridge. Some can be taken apart from the others: what
 * is sent between the parts is dropped, and connections stay open until somebody notices. Needs Linux and root.
 */
export class Network implements AsyncDisposable {
  /** our own address in it */
  readonly host: string
  readonly #prefix: string
  readonly #subnet: string
  readonly #names: string[] = []

  private constructor() {
    const own = process.pid % 0xffff
    this.#prefix = `ls${own.toString(16)}`
    this.#subnet = `198.${18 + ((own >> 8) & 1)}.${own & 0xff}`
    this.host = `${this.#subnet}.1`
  }

  /** Whether this machine lets us make networks. */
  static isPossible(): boolean {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
    const name = `ls${process.pid}try`
    try {
      execFileSync('ip', ['netns', 'add', name], { stdio: 'ignore' })
      execFileSync('nsenter', [`--net=/run/netns/${name}`, 'true'], { stdio: 'ignore' })
      execFileSync('ip', ['netns', 'delete', name], { stdio: 'ignore' })
      return true
    } catch {
      return false // a container that may not, or without these programs
    }
  }

  /** @throws when the machine does not let us */
  static async open(): Promise<Network> {
    const network = new Network()
    try {
      for (const bridge of [network.#main, network.#other]) {
        await ip('link', 'add', bridge, 'type', 'bridge')
        await ip('link', 'set', bridge, 'up')
      }
      await ip('address', 'add', `${network.host}/24`, 'dev', network.#main)
    } catch (error) {
      await network[Symbol.asyncDispose]()
      throw error
    }
    return network
  }

  /** Makes a place for one program. */
  async place(name: string): Promise<Place> {
    const at = this.#names.push(name)
    const [space, cable] = [this.#space(name), this.#cable(name)]
    const host = `${this.#subnet}.${at + 1}`
    await ip('netns', 'add', space)
    await ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space)
    await ip('-n', space, 'address', 'add', `${host}/24`, 'dev', 'eth0')
    for (const device of ['lo', 'eth0']) await ip('-n', space, 'link', 'set', device, 'up')
    await ip('link', 'set', cable, 'master', this.#main, 'up')
    return { host, enter: ['nsenter', `--net=/run/netns/${space}`] }
  }

  /** Takes these places, which still reach each other, apart from the others and from us. */
  async part(names: readonly string[]): Promise<void> {
    for (const name of names) await ip('link', 'set', this.#cable(name), 'master', this.#other)
  }

  /** Makes it one network again. */
  async join(): Promise<void> {
    for (const name of this.#names) await ip('link', 'set', this.#cable(name), 'master', this.#main)
  }

  /** Also removes what was only half made. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { stdout } = await run('ip', ['-o', 'link', 'show', 'type', 'bridge'])
    const bridges = [this.#main, this.#other].filter((bridge) => stdout.includes(` ${bridge}:`))
    for (const bridge of bridges) await ip('link', 'delete', bridge)
    const { stdout: spaces } = await run('ip', ['netns', 'list'])
    const ours = this.#names.map((name) => this.#space(name))
    for (const space of ours) if (spaces.includes(space)) await ip('netns', 'delete', space)
  }

  get #main(): string {
    return `${this.#prefix}a`
  }

  get #other(): string {
    return `${this.#prefix}b`
  }

  #space(name: string): string {
    return `${this.#prefix}-${name}`
  }

  /** Names of devices have at most 15 characters. */
  #cable(name: string): string {
    return `${this.#prefix}v${this.#names.indexOf(name)}`
  }
}
