import type { Nodes } from '../../../../platform/nodes/index.ts'

/** How often nodes tell each other all accounts with subscribers, in case a change was not heard. */
const tellAllMs = 15_000
/** What a node said is forgotten when it has not said it again for so long. */
const forgetMs = 3 * tellAllMs
const subject = 'broker.subscribers'

/** The accounts of the built-in broker that have subscribers on a node. */
interface Told {
  /** all of them; otherwise only those that changed */
  isAll: boolean
  added: readonly string[]
  removed: readonly string[]
}

interface Known {
  accounts: Set<string>
  heardAt: number
}

/** Which accounts have clients that listen on other nodes, so that messages go there only where they are heard. */
export class Neighbours implements AsyncDisposable {
  readonly #nodes: Pick<Nodes, 'isCluster' | 'tell' | 'hear'>
  readonly #here = new Set<string>()
  readonly #known = new Map<string, Known>()
  #timer: NodeJS.Timeout | undefined

  constructor(nodes: Pick<Nodes, 'isCluster' | 'tell' | 'hear'>) {
    this.#nodes = nodes
    if (!nodes.isCluster) return
    nodes.hear(subject, (message, from) => this.#hear(message as Told, from))
    this.#timer = setInterval(() => this.#tellAll(), tellAllMs)
  }

  /** Whether clients of an account listen on another node. */
  hears(account: string): boolean {
    for (const { accounts } of this.#known.values()) if (accounts.has(account)) return true
    return false
  }

  /** The first client of an account listens here, or the last one has gone. */
  changed(account: string, isHeard: boolean): void {
    if (!this.#nodes.isCluster || this.#here.has(account) === isHeard) return
    if (isHeard) this.#here.add(account)
    else this.#here.delete(account)
    const told: Told = {
      isAll: false,
      added: isHeard ? [account] : [],
      removed: isHeard ? [] : [account],
    }
    this.#nodes.tell(subject, told)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    if (this.#here.size === 0) return
    this.#here.clear()
    this.#tellAll()
  }

  #tellAll(): void {
    const told: Told = { isAll: true, added: [...this.#here], removed: [] }
    this.#nodes.tell(subject, told)
    const now = performance.now()
    for (const [name, { heardAt }] of this.#known) if (now - heardAt > forgetMs) this.#known.delete(name)
  }

  #hear({ isAll, added, removed }: Told, from: string): void {
    const before = this.#known.get(from)
    // A node that is heard for the first time has not heard of this one either.
    if (before === undefined && this.#here.size > 0) this.#tellAll()
    const accounts = isAll ? new Set<string>() : (before?.accounts ?? new Set<string>())
    for (const account of added) accounts.add(account)
    for (const account of removed) accounts.delete(account)
    this.#known.set(from, { accounts, heardAt: performance.now() })
  }
}
