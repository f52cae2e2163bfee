import type { NodeProblem } from '@leitstand/contract/nodes'
import type { Role } from './roles.ts'

/** A node as the others know it. */
export interface Member {
  readonly name: string
  readonly roles: readonly Role[]
  /** version of Leitstand */
  readonly version: string
  /** newest migration it knows */
  readonly schema: string
  readonly startedAt: string
  /** milliseconds since it was heard of last, by the clock of this node */
  readonly heardMs: number
  readonly isAlive: boolean
  /** this process */
  readonly isSelf: boolean
  /** what it does alone for all nodes, e.g. `packets.17` */
  readonly leases: readonly string[]
  /** processor time of the process in the last second, 1 = one processor */
  readonly processors: number
  /** resident memory in bytes */
  readonly memoryBytes: number
  /** packets that it has yet to store */
  readonly packetsWaiting: number
  /** age of the oldest event that it has read and not handled, in ms */
  readonly eventsLateMs: number
}

/** Figures of a report that features provide; 0 until then. */
export type Figure = 'packetsWaiting' | 'eventsLateMs'

/** Why a node cannot do its work, in English for logs and probes. */
export interface Problem {
  code: NodeProblem
  text: string
}

/** Work that one node at a time does for all of them. */
export interface SharedWork {
  /** letters, digits, dots, hyphens; the same on every node */
  readonly key: string
  /** nodes that may do it */
  readonly role: Role
  /** Called when this node may begin. Errors are logged, and the work goes to be claimed again. */
  start(): Promise<void>
  /** Called when another node shall do it, or this one lost touch; nothing may happen once it resolves. */
  stop(): Promise<void>
}

/** A message of the bus; any JSON value. */
export type BusMessage = unknown

/** The nodes of an installation: one process alone, or several that are connected by NATS. */
export interface Nodes extends AsyncDisposable {
  readonly name: string
  /** whether there may be others */
  readonly isCluster: boolean
  /** Whether this node has the role. */
  has(role: Role): boolean
  /** Every node that is alive or was lately, by name. */
  members(): readonly Member[]
  /** Registers work; it begins after `start`. @returns stops it and lets others have it */
  share(work: SharedWork): () => Promise<void>
  /** Whether this node has the lease of a key. */
  holds(key: string): boolean
  /**
   * Lets the node that has a lease give it up: its work stops, and begins again where it belongs. Without such a lease
   * nothing happens.
   */
  release(key: string): Promise<void>
  /** Sends a message to the other nodes that listen. It may be lost; nothing may depend on it. */
  tell(subject: string, message: BusMessage): void
  /** Hears what other nodes tell. */
  hear(subject: string, listener: (message: BusMessage, from: string) => void): void
  /**
   * Asks the other nodes; the first answer counts.
   * @returns `nobody`: no node answers such questions; `silent`: none has answered in time
   */
  ask<T>(
    subject: string,
    question: BusMessage,
    timeoutMs: number,
  ): Promise<{ answer: T } | 'nobody' | 'silent'>
  /** Answers questions of other nodes; undefined: leaves it to others. @returns stops it */
  answer(subject: string, answers: (question: BusMessage) => Promise<unknown>): () => void
  /** Why this node cannot do its work; null: it can. */
  problem(): Problem | null
  start(): Promise<void>
  /** Sets where figures of the reports come from. */
  report(figure: Figure, read: () => number): void
  /** Gives up all shared work, for others to take; the last thing before a stop. */
  rest(): Promise<void>
}
