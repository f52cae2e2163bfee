import type { LiveTopic } from '@leitstand/contract/live'
import type { Nodes } from '../nodes/index.ts'

/** How often a node repeats what its readers follow, and after which silence it is forgotten. */
const everyMs = 2_000
const forgottenMs = 7_000
/** A node with more topics is sent everything. */
const topicsMax = 5_000

const subject = 'live.topics'

interface Followed {
  /** null: everything */
  topics: ReadonlySet<string> | null
  names: ReadonlySet<string>
  at: number
}

/** What readers follow who are connected to other nodes, so that messages for nobody are not sent. */
export class FollowedElsewhere implements Disposable {
  readonly #nodes: Nodes
  readonly #own: () => Iterable<LiveTopic>
  readonly #byNode = new Map<string, Followed>()
  #timer: NodeJS.Timeout | undefined
  #isDue = false

  /** @param own topics that are followed on this node */
  constructor(nodes: Nodes, own: () => Iterable<LiveTopic>) {
    this.#nodes = nodes
    this.#own = own
    if (!nodes.isCluster) return
    nodes.hear(subject, (topics, from) => this.#note(from, topics as readonly string[] | null))
    this.#timer = setInterval(() => this.#repeat(), everyMs)
  }

  has(topic: LiveTopic): boolean {
    for (const { topics } of this.#byNode.values()) if (topics === null || topics.has(topic)) return true
    return false
  }

  hasAny(names: readonly string[]): boolean {
    for (const followed of this.#byNode.values())
      if (followed.topics === null || names.some((name) => followed.names.has(name))) return true
    return false
  }

  /** Tells the others soon that the topics followed here have changed. */
  changed(): void {
    if (!this.#nodes.isCluster || this.#isDue) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.#tell()
    })
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #repeat(): void {
    const now = performance.now()
    for (const [node, { at }] of this.#byNode) if (now - at > forgottenMs) this.#byNode.delete(node)
    this.#tell()
  }

  #tell(): void {
    const topics = [...this.#own()]
    this.#nodes.tell(subject, topics.length > topicsMax ? null : topics)
  }

  #note(node: string, given: readonly string[] | null): void {
    if (given?.length === 0) {
      this.#byNode.delete(node)
      return
    }
    const names = new Set((given ?? []).map((topic) => topic.split(':')[0] as string))
    this.#byNode.set(node, { topics: given === null ? null : new Set(given), names, at: performance.now() })
  }
}
