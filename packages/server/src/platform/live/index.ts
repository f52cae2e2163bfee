import type { Socket } from 'node:net'
import { type LiveServerMessage, type LiveTopic, liveLimits } from '@leitstand/contract/live'
import type { FastifyInstance } from 'fastify'
import type { WebSocket } from 'ws'
import type { Clock } from '../clock.ts'
import type { ConfigChanges, WatchedTable } from '../db/notices.ts'
import { type ChangedGrounds, isConcerned } from '../derivedCache.ts'
import { AppError, messageOf } from '../errors.ts'
import type { Authenticate } from '../http/api.ts'
import type { Caller } from '../http/caller.ts'
import { credentialsOf, isOwnPage } from '../http/credentials.ts'
import type { LimitHits } from '../limits/index.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Nodes } from '../nodes/index.ts'
import { liveBounds, Paces, Places, type Refusal, refusalTexts } from './bounds.ts'
import { Connection } from './connection.ts'
import { FollowedElsewhere } from './elsewhere.ts'
import { readMessage } from './messages.ts'
import { Recent } from './recent.ts'
import { type Due, Rechecks } from './rechecks.ts'

/** Those who see what is in a scope. */
export interface Audience {
  scopeId: number
  /** of what is in it, as the feature names it */
  category: string
}

/** How a feature serves the topics of one kind, e.g. `twin:{id}`. */
export interface LiveKind {
  /** Whether the caller may follow it. @param id null for topics without an id */
  authorise(caller: Caller, id: number | null): Promise<boolean>
  /**
   * The table whose rows `id` refers to: when a row changes its followers are rechecked, as it may have
   * moved.
   */
  table?: WatchedTable
  /** Whether a follower may get a message for this audience, for topics shared by users with different rights. */
  hears?(caller: Caller, audience: Audience): boolean
  /**
   * Events after `sinceMs`, oldest first, as messages of the topic; null when they are incomplete: the reader
   * then has to load everything again, as it has without this function. Called before streaming begins, while new
   * messages are held back.
   */
  backfill?(caller: Caller, id: number | null, sinceMs: number): Promise<readonly LiveServerMessage[] | null>
  /**
   * Without `backfill`, for what is not published while nobody follows: whether there was something after `sinceMs`, so that
   * who has read it a moment before has to read again.
   */
  changedSince?(id: number | null, sinceMs: number): Promise<boolean>
}

const heartbeatMs = 25_000
/** How often sessions are checked for expiry. */
const endingsMs = 500
/** What happened is committed, and announced, in another order than its times say. */
const unorderedMs = 5_000
/** A subscription is on its way for this long, during which its `agoMs` does not grow. */
const lateMs = 1_000
/** Messages of one reader waiting to be handled; a tab subscribes to all its topics at once. */
const waitingMax = 5 * liveLimits.topicsMax

/** What the live connection needs to know about callers; provided by the access feature. */
export interface Gate {
  authenticate: Authenticate
  /** The accounts a user counts against, see `Holder`. */
  accountsOf(caller: Caller): Promise<readonly number[]>
}

/** Since when a reader may have missed something, see `LiveClientMessage`; neither: it has read nothing yet. */
interface Gap {
  sinceMs?: number | undefined
  agoMs?: number | undefined
}

interface LiveOptions {
  clock: Clock
  log: Logger
  metrics: Metrics
  configChanges: ConfigChanges
  limitHits: LimitHits
  nodes: Nodes
}

/** A message for followers who are connected to other nodes. */
interface Bridged {
  topic: LiveTopic
  message: LiveServerMessage
  audience?: Audience
}

const messageSubject = 'live.message'

/**
 * The live connection at `/api/live`, see `contract/live.ts`. A published message only reaches current
 * followers of its topic; a crash may lose it, and the reader fills the gap from the time of its last
 * message. Nothing here is a source of truth.
 */
export class Live implements AsyncDisposable {
  readonly #kinds = new Map<string, LiveKind>()
  readonly #followers = new Map<LiveTopic, Set<Connection>>()
  /** number of followed topics by the name before the colon */
  readonly #topicsOf = new Map<string, number>()
  readonly #connections = new Set<Connection>()
  readonly #paces = new Paces()
  readonly #places = new Places()
  readonly #rechecks = new Rechecks((connection, due) => this.#look(connection, due))
  readonly #options: LiveOptions
  readonly #elsewhere: FollowedElsewhere
  readonly #recent: Recent
  readonly #cutOff
  readonly #refused
  #gate: Gate | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #endings: NodeJS.Timeout | undefined

  constructor(options: LiveOptions) {
    const { metrics, nodes } = options
    this.#options = options
    this.#recent = new Recent(options.clock.now().getTime())
    this.#elsewhere = new FollowedElsewhere(nodes, () => this.#followers.keys())
    nodes.hear(messageSubject, (bridged) => {
      const { topic, message, audience } = bridged as Bridged
      this.publishHere(topic, message, audience)
    })
    this.#cutOff = metrics.counter(
      'live_cut_off_total',
      'Live connections closed because the reader was too slow',
    )
    this.#refused = metrics.counter(
      'live_refused_total',
      'Live connections refused because there were too many, by the bound that was reached',
      ['bound'],
    )
    metrics.gauge('live_connections', 'Open live connections', () => this.#connections.size)
  }

  /** Registers the topics `name` or `name:{id}`. */
  topic(name: string, kind: LiveKind): void {
    if (this.#kinds.has(name)) throw new Error(`live topic ${name} exists`)
    this.#kinds.set(name, kind)
    if (kind.table) this.#options.configChanges.on(kind.table, (ids) => this.#recheckTopics(name, ids))
  }

  /**
   * Checks connections again: a session may have ended, rights may have changed. Called when such a change
   * was announced, after every cache of rights has forgotten what depends on it.
   * @param changed selects the connections, by the grounds of their callers
   */
  recheck(changed: ChangedGrounds): void {
    for (const connection of this.#connections) {
      connection.epoch++
      // Of a caller who is being authenticated it is known afterwards.
      connection.changes?.push(changed)
      if (connection.caller && dependsOn(connection.caller, [changed])) this.#rechecks.add(connection)
    }
  }

  /** Resolves when every pending recheck is done; for tests. */
  settled(): Promise<void> {
    return this.#rechecks.settled()
  }

  /**
   * Sends a message to everyone who follows the topic, on whatever node.
   * @param audience only to followers who belong to it, see `LiveKind.hears`
   */
  publish(topic: LiveTopic, message: LiveServerMessage, audience?: Audience): void {
    this.#note(topic, message, audience)
    this.publishHere(topic, message, audience)
    if (!this.#elsewhere.has(topic)) return
    const bridged: Bridged = { topic, message, ...(audience === undefined ? {} : { audience }) }
    this.#options.nodes.tell(messageSubject, bridged)
  }

  /** Like `publish`, only to those who are connected to this node. */
  publishHere(topic: LiveTopic, message: LiveServerMessage, audience?: Audience): void {
    const followers = this.#followers.get(topic)
    if (!followers || followers.size === 0) return
    const text = JSON.stringify(message)
    const { kind } = this.#parts(topic)
    for (const connection of followers) {
      const { caller } = connection
      if (audience !== undefined && !(caller && kind?.hears?.(caller, audience))) continue
      connection.deliver(topic, text)
    }
  }

  /** Asks followers of `name:{id}` for these ids to load it again. */
  resync(name: 'packets' | 'twin', ids: Iterable<number>): void {
    const timeMs = this.#options.clock.now().getTime()
    for (const id of new Set(ids)) {
      const topic = `${name}:${id}` as const
      this.publish(topic, { kind: 'resync', topic, timeMs })
    }
  }

  /** Whether the topic has followers; avoids preparing messages that no one reads. */
  hasFollowers(topic: LiveTopic): boolean {
    return this.hasFollowersHere(topic) || this.#elsewhere.has(topic)
  }

  /** Whether the topic has followers who are connected to this node. */
  hasFollowersHere(topic: LiveTopic): boolean {
    return (this.#followers.get(topic)?.size ?? 0) > 0
  }

  /** Whether another node has followers of topics with one of these names. */
  isFollowedElsewhere(names: readonly string[]): boolean {
    return this.#elsewhere.hasAny(names)
  }

  /** Whether any topic `name:{id}` has followers. */
  hasFollowersOf(name: string): boolean {
    return (this.#topicsOf.get(name) ?? 0) > 0 || this.#elsewhere.hasAny([name])
  }

  /** Adds the route. */
  mount(http: FastifyInstance, gate: Gate): void {
    this.#gate = gate
    http.get('/api/live', { websocket: true }, (socket, request) => {
      // Browsers send the cookie with sockets opened by any page: only our own pages may use it.
      const cookieToken = isOwnPage(request) ? credentialsOf(request).token : null
      this.#accept(socket, request.raw.socket, { cookieToken, ip: request.ip })
    })
    this.#heartbeat = setInterval(() => {
      for (const connection of this.#connections) {
        connection.beat()
        this.#rechecks.add(connection)
      }
    }, heartbeatMs)
    this.#endings = setInterval(() => {
      const now = this.#options.clock.now()
      for (const connection of this.#connections) {
        const { until } = connection.caller ?? {}
        if (until && until <= now) this.#rechecks.add(connection)
      }
    }, endingsMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#heartbeat)
    clearInterval(this.#endings)
    this.#elsewhere[Symbol.dispose]()
    for (const connection of this.#connections) connection.close(1001, 'server stops')
    await this.#rechecks.stop()
  }

  #accept(socket: WebSocket, tcp: Socket, from: { cookieToken: string | null; ip: string }): void {
    const place = this.#places.enter(from.ip)
    if (typeof place === 'string') {
      this.#refused.inc({ bound: place })
      socket.on('error', () => socket.terminate())
      socket.close(liveLimits.closeTooMany, refusalTexts[place])
      return
    }
    const connection: Connection = new Connection(socket, tcp, place, {
      onCutOff: () => {
        this.#cutOff.inc()
        this.#forget(connection)
      },
      onClose: () => {
        this.#places.leave(place)
        this.#forget(connection)
      },
    })
    this.#connections.add(connection)
    const timer = setTimeout(() => {
      if (!connection.caller) connection.close(liveLimits.closeUnauthorised, 'no hello')
    }, liveBounds.helloMs)
    socket.once('close', () => clearTimeout(timer))
    socket.on('message', (data) => {
      // What was on its way when it was closed.
      if (!connection.isOpen) return
      if (connection.waiting >= waitingMax || !connection.mayReceive()) {
        connection.close(1008, 'too many messages at once')
        return
      }
      const pauseMs = this.#paces.count(connection.caller)
      if (pauseMs > 0) connection.pause(pauseMs)
      connection.waiting += 1
      // One after the other: a subscription must not overtake the hello before it.
      connection.queue = connection.queue
        .then(() => this.#receive(connection, String(data), from))
        .catch((error: unknown) => {
          this.#options.log.error({ err: error }, 'live message failed')
          connection.close(1011, 'internal error')
        })
        .finally(() => {
          connection.waiting -= 1
        })
    })
  }

  async #receive(
    connection: Connection,
    text: string,
    from: { cookieToken: string | null; ip: string },
  ): Promise<void> {
    // Messages that arrived before the connection closed get no answer.
    if (!connection.isOpen) return
    const message = readMessage(text)
    if (!message) return connection.close(1008, 'message not understood')
    if (message.kind === 'ping') return connection.send({ kind: 'pong' })
    if (message.kind === 'hello') {
      if (connection.saidHello) return connection.close(liveLimits.closeSecondHello, 'one hello a connection')
      connection.saidHello = true
      return this.#hello(connection, { token: message.token ?? from.cookieToken, ip: from.ip })
    }
    if (!connection.caller) return connection.close(liveLimits.closeUnauthorised, 'not signed in')
    const topic = message.topic as LiveTopic
    if (message.kind === 'unsubscribe') return this.#unfollow(connection, topic)
    await this.#subscribe(connection, topic, message)
  }

  async #hello(connection: Connection, { token, ip }: { token: string | null; ip: string }): Promise<void> {
    const gate = this.#gate
    const changes: ChangedGrounds[] = []
    connection.changes = changes
    const caller = token === null || !gate ? null : await gate.authenticate(token, ip)
    if (!gate || token === null || !caller || (caller.userId === null && caller.linkId === undefined))
      return connection.close(liveLimits.closeUnauthorised, 'not signed in')
    const accountIds = await gate.accountsOf(caller)
    // An impersonating user takes up their own places, not those of the impersonated user.
    const userId = caller.impersonator?.userId ?? caller.userId
    const by = userId === null ? (`link ${caller.linkId ?? 0}` as const) : (`user ${userId}` as const)
    const holder = { by, accountIds }
    const refusal = connection.isOpen ? this.#places.seat(connection.place, holder) : null
    if (refusal) return this.#refuse(connection, caller, accountIds, refusal)
    connection.session = { token, ip }
    this.#identify(connection, caller, changes)
    connection.send({ kind: 'welcome' })
  }

  /** @param changes announced while the caller was read, which may be out of date then */
  #identify(connection: Connection, caller: Caller, changes: readonly ChangedGrounds[]): void {
    connection.caller = caller
    connection.changes = undefined
    if (dependsOn(caller, changes)) this.#rechecks.add(connection)
  }

  #refuse(connection: Connection, caller: Caller, accountIds: readonly number[], bound: Refusal): void {
    this.#refused.inc({ bound })
    const [accountId] = accountIds
    if (accountId !== undefined)
      this.#options.limitHits.note(accountId, 'liveConnections', { detail: `${bound}: ${caller.name}` })
    connection.close(liveLimits.closeTooMany, refusalTexts[bound])
  }

  #recheckTopics(name: string, ids: readonly number[] | '*'): void {
    if (!this.hasFollowersOf(name)) return
    const topics: Iterable<LiveTopic> =
      ids === '*'
        ? [...this.#followers.keys()].filter((topic) => topic.startsWith(`${name}:`))
        : ids.map((id) => `${name}:${id}` as LiveTopic)
    for (const topic of topics)
      for (const connection of this.#followers.get(topic) ?? []) {
        connection.epoch++
        this.#rechecks.add(connection, topic)
      }
  }

  /**
   * Closes the connection of a session that has ended or that follows a topic it may no longer follow. If the
   * check itself fails the connection is closed too: the reader reconnects and is checked then.
   */
  async #look(connection: Connection, due: Due): Promise<void> {
    const { caller: before, session } = connection
    if (!before || !session || !this.#gate || !connection.isOpen) return
    try {
      let topics: Iterable<LiveTopic> = due.topics
      let caller: Caller | null = before
      if (due.caller) {
        const changes: ChangedGrounds[] = []
        connection.changes = changes
        caller = await this.#gate.authenticate(session.token, session.ip)
        if (!caller) return connection.close(liveLimits.closeUnauthorised, 'signed out')
        this.#identify(connection, caller, changes)
        const isChanged = caller.rightsKey !== before.rightsKey
        if (isChanged && connection.wasRefused)
          return connection.close(liveLimits.closeRightsChanged, 'rights changed')
        if (isChanged) topics = connection.topics.keys()
      }
      for (const topic of [...topics]) {
        if (!connection.topics.has(topic) || (await this.#mayFollow(caller, topic))) continue
        return connection.close(liveLimits.closeRightsChanged, 'rights changed')
      }
    } catch (error) {
      this.#options.log.warn({ err: error }, 'a live connection could not be checked and is closed')
      connection.close(liveLimits.closeRightsChanged, 'rights could not be checked')
    }
  }

  async #mayFollow(caller: Caller, topic: LiveTopic): Promise<boolean> {
    if (caller.follows && !(await caller.follows(topic))) return false
    const { kind, id } = this.#parts(topic)
    return (await kind?.authorise(caller, id)) ?? false
  }

  #parts(topic: LiveTopic): { kind: LiveKind | undefined; id: number | null } {
    const [name = '', idText] = topic.split(':')
    return { kind: this.#kinds.get(name), id: idText === undefined ? null : Number(idText) }
  }

  /** Backfill, cutover, stream: messages published during the backfill are held and sent after it. */
  async #subscribe(connection: Connection, topic: LiveTopic, gap: Gap): Promise<void> {
    const { kind } = this.#parts(topic)
    if (connection.topics.size >= liveLimits.topicsMax && !connection.topics.has(topic)) {
      return connection.send({ kind: 'refused', topic, code: 'TOO_MANY_REQUESTS' })
    }
    if (!kind) return connection.send({ kind: 'refused', topic, code: 'NOT_FOUND' })
    const { epoch } = connection
    const caller = await this.#askUntilSettled(connection, topic)
    if (!caller) {
      connection.wasRefused = true
      return connection.send({ kind: 'refused', topic, code: 'NO_PERMISSION' })
    }
    if (!connection.isOpen) return
    const held = connection.hold(topic)
    this.#follow(connection, topic)
    if (connection.epoch !== epoch) this.#rechecks.add(connection, topic)
    try {
      const past = await this.#missed(caller, topic, gap)
      // Cancelled in the meantime, because the connection was closed.
      if (!connection.isOpen || connection.topics.get(topic) !== held) return
      if (past) for (const message of past) connection.send(message)
      else connection.send({ kind: 'resync', topic, timeMs: this.#options.clock.now().getTime() })
      connection.send({ kind: 'subscribed', topic, timeMs: this.#options.clock.now().getTime() })
      connection.release(topic)
    } catch (error) {
      this.#unfollow(connection, topic)
      this.#options.log.warn({ err: messageOf(error), topic }, 'live backfill failed')
      connection.send({
        kind: 'refused',
        topic,
        code: error instanceof AppError ? error.code : 'INTERNAL_ERROR',
      })
    }
  }

  /** What a reader has missed; null when it has to read again. */
  async #missed(
    caller: Caller,
    topic: LiveTopic,
    { sinceMs, agoMs }: Gap,
  ): Promise<readonly LiveServerMessage[] | null> {
    const { kind, id } = this.#parts(topic)
    const fromMs = agoMs === undefined ? sinceMs : this.#options.clock.now().getTime() - agoMs
    if (kind === undefined || fromMs === undefined) return []
    if (kind.backfill) return kind.backfill(caller, id, fromMs - unorderedMs)
    // What other nodes published to nobody is not known here.
    if (agoMs === undefined || this.#options.nodes.isCluster) return null
    const hears = (audience: Audience) => kind.hears?.(caller, audience) ?? false
    if (this.#recent.mayHave(topic, fromMs - lateMs, hears)) return null
    return (await kind.changedSince?.(id, fromMs - lateMs)) ? null : []
  }

  /** Remembers what a reader has to read again for; packets are in the database, and traffic is only shown. */
  #note(topic: LiveTopic, message: LiveServerMessage, audience: Audience | undefined): void {
    if (message.kind === 'traffic' || message.kind === 'packet') return
    if (this.#parts(topic).kind?.backfill !== undefined) return
    this.#recent.note(topic, audience, this.#options.clock.now().getTime())
  }

  /** The caller, if the rights in effect after the check allow following the topic, else null. */
  async #askUntilSettled(connection: Connection, topic: LiveTopic): Promise<Caller | null> {
    for (;;) {
      const { caller } = connection
      if (!caller || !(await this.#mayFollow(caller, topic))) return null
      // A change of rights during the check only rechecked the topics already followed, not this one.
      if (connection.caller === caller) return caller
    }
  }

  #follow(connection: Connection, topic: LiveTopic): void {
    const followers = this.#followers.get(topic)
    if (followers !== undefined) {
      followers.add(connection)
      return
    }
    this.#followers.set(topic, new Set([connection]))
    this.#count(topic, 1)
  }

  #unfollow(connection: Connection, topic: LiveTopic): void {
    connection.topics.delete(topic)
    const followers = this.#followers.get(topic)
    followers?.delete(connection)
    if (followers?.size !== 0) return
    this.#followers.delete(topic)
    this.#count(topic, -1)
  }

  #count(topic: LiveTopic, change: 1 | -1): void {
    const [name = ''] = topic.split(':')
    this.#topicsOf.set(name, (this.#topicsOf.get(name) ?? 0) + change)
    this.#elsewhere.changed()
  }

  #forget(connection: Connection): void {
    for (const topic of connection.topics.keys()) this.#unfollow(connection, topic)
    this.#connections.delete(connection)
  }
}

/** Whether a caller may be another one after these changes. */
function dependsOn({ grounds }: Caller, changes: readonly ChangedGrounds[]): boolean {
  if (grounds === undefined) return changes.length > 0
  return grounds.some((each) => isConcerned(each, changes))
}
