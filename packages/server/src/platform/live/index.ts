import {
  type LiveClientMessage,
  type LiveServerMessage,
  type LiveTopic,
  liveLimits,
} from '@leitstand/contract/live'
import type { FastifyInstance } from 'fastify'
import * as z from 'zod'
import type { Clock } from '../clock.ts'
import { AppError, messageOf } from '../errors.ts'
import type { Authenticate } from '../http/api.ts'
import type { Caller } from '../http/caller.ts'
import { credentialsOf, isOwnPage } from '../http/credentials.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { Connection } from './connection.ts'

/** What a feature says about the topics of one kind, e.g. `twin:{id}`. */
export interface LiveKind {
  /** Whether the caller may follow it. @param id null for topics without a number */
  authorise(caller: Caller, id: number | null): Promise<boolean>
  /**
   * What happened after `sinceMs`, oldest first, as messages of the topic; null when that cannot be told completely:
   * the reader is then asked to read again. Called before streaming begins, with what arrives meanwhile kept back.
   */
  backfill?(caller: Caller, id: number | null, sinceMs: number): Promise<readonly LiveServerMessage[] | null>
}

const helloTimeoutMs = 10_000
const heartbeatMs = 25_000
const connectionsMax = 5000
/** Messages of one reader that wait to be handled; a tab asks for all its topics at once. */
const waitingMax = 5 * liveLimits.topicsMax

const Message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('hello'), token: z.string().max(200).nullable() }),
  z.object({
    kind: z.literal('subscribe'),
    topic: z
      .string()
      .max(60)
      .regex(/^[a-z]+(:[1-9]\d{0,14})?$/),
    sinceMs: z.number().optional(),
  }),
  z.object({ kind: z.literal('unsubscribe'), topic: z.string().max(60) }),
  z.object({ kind: z.literal('ping') }),
])

/**
 * The live connection at `/api/live`, see `contract/live.ts`.
 * A message that is published only reaches those who follow its topic now; a crash may lose it, and the reader fills
 * the gap by its last time. Nothing here is a source of truth.
 */
export class Live implements AsyncDisposable {
  readonly #kinds = new Map<string, LiveKind>()
  readonly #followers = new Map<LiveTopic, Set<Connection>>()
  /** topics with followers, by the name before the colon */
  readonly #topicsOf = new Map<string, number>()
  readonly #connections = new Set<Connection>()
  readonly #clock: Clock
  readonly #log: Logger
  readonly #cutOff
  #heartbeat: NodeJS.Timeout | undefined

  constructor(clock: Clock, log: Logger, metrics: Metrics) {
    this.#clock = clock
    this.#log = log
    this.#cutOff = metrics.counter(
      'live_cut_off_total',
      'Live connections closed because the reader was too slow',
    )
    metrics.gauge('live_connections', 'Open live connections', () => this.#connections.size)
  }

  /** Registers the topics `name` or `name:{id}`. */
  topic(name: string, kind: LiveKind): void {
    if (this.#kinds.has(name)) throw new Error(`live topic ${name} exists`)
    this.#kinds.set(name, kind)
  }

  /**
   * Sends a message to everyone who follows the topic.
   * @param to only to these of them, for topics that are one for all, e.g. `alarms`
   */
  publish(topic: LiveTopic, message: LiveServerMessage, to?: (caller: Caller) => boolean): void {
    const followers = this.#followers.get(topic)
    if (!followers || followers.size === 0) return
    const text = JSON.stringify(message)
    for (const connection of followers) {
      if (to && !(connection.caller && to(connection.caller))) continue
      connection.deliver(topic, text)
    }
  }

  /** Tells whoever follows `name:{id}` of one of these ids to read it again. */
  resync(name: 'packets' | 'twin', ids: Iterable<number>): void {
    if (!this.hasFollowersOf(name)) return
    const timeMs = this.#clock.now().getTime()
    for (const id of new Set(ids)) {
      const topic = `${name}:${id}` as const
      this.publish(topic, { kind: 'resync', topic, timeMs })
    }
  }

  /** Whether anybody follows the topic; saves preparing messages nobody reads. */
  hasFollowers(topic: LiveTopic): boolean {
    return (this.#followers.get(topic)?.size ?? 0) > 0
  }

  /** Whether anybody follows any topic `name:{id}`. */
  hasFollowersOf(name: string): boolean {
    return (this.#topicsOf.get(name) ?? 0) > 0
  }

  /** Adds the route. */
  mount(http: FastifyInstance, authenticate: Authenticate): void {
    http.get('/api/live', { websocket: true }, (socket, request) => {
      if (this.#connections.size >= connectionsMax) {
        socket.close(1013, 'too many connections')
        return
      }
      // Browsers send the cookie along with every page's socket: only our own pages may use it.
      const cookieToken = isOwnPage(request) ? credentialsOf(request).token : null
      const connection = new Connection(socket, request.raw.socket, {
        onCutOff: () => {
          this.#cutOff.inc()
          this.#forget(connection)
        },
        onClose: () => this.#forget(connection),
      })
      this.#connections.add(connection)
      const timer = setTimeout(() => {
        if (!connection.caller) connection.close(liveLimits.closeUnauthorised, 'no hello')
      }, helloTimeoutMs)
      socket.once('close', () => clearTimeout(timer))
      socket.on('message', (data) => {
        if (connection.waiting >= waitingMax) {
          connection.close(1008, 'too many messages at once')
          return
        }
        connection.waiting += 1
        // One after the other: a subscription must not overtake the hello before it.
        connection.queue = connection.queue
          .then(() => this.#receive(connection, String(data), { authenticate, cookieToken, ip: request.ip }))
          .catch((error: unknown) => {
            this.#log.error({ err: error }, 'live message failed')
            connection.close(1011, 'internal error')
          })
          .finally(() => {
            connection.waiting -= 1
          })
      })
    })
    this.#heartbeat = setInterval(() => {
      for (const connection of this.#connections) {
        connection.beat()
        void this.#checkSession(connection, authenticate)
      }
    }, heartbeatMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#heartbeat)
    for (const connection of this.#connections) connection.close(1001, 'server stops')
  }

  async #receive(
    connection: Connection,
    text: string,
    auth: { authenticate: Authenticate; cookieToken: string | null; ip: string },
  ): Promise<void> {
    const message = parse(text)
    if (!message) return connection.close(1008, 'message not understood')
    if (message.kind === 'ping') return connection.send({ kind: 'pong' })
    if (message.kind === 'hello') {
      const token = message.token ?? auth.cookieToken
      const caller = token === null ? null : await auth.authenticate(token, auth.ip)
      if (!caller) return connection.close(liveLimits.closeUnauthorised, 'not signed in')
      connection.caller = caller
      connection.session = token === null ? undefined : { token, ip: auth.ip }
      return connection.send({ kind: 'welcome' })
    }
    if (!connection.caller) return connection.close(liveLimits.closeUnauthorised, 'not signed in')
    const topic = message.topic as LiveTopic
    if (message.kind === 'unsubscribe') return this.#unfollow(connection, topic)
    await this.#subscribe(connection, connection.caller, topic, message.sinceMs)
  }

  /** Ends the connection of a session that has ended or whose rights have changed since the hello. */
  async #checkSession(connection: Connection, authenticate: Authenticate): Promise<void> {
    if (!connection.session || !connection.caller) return
    try {
      const caller = await authenticate(connection.session.token, connection.session.ip)
      if (!caller) connection.close(liveLimits.closeUnauthorised, 'signed out')
      else if (caller.rightsKey !== connection.caller.rightsKey) connection.close(1012, 'rights changed')
    } catch (error) {
      this.#log.warn({ err: error }, 'a live session could not be checked; tried again at the next beat')
    }
  }

  /** Backfill, cutover, stream: what is published during the backfill waits and follows it. */
  async #subscribe(
    connection: Connection,
    caller: Caller,
    topic: LiveTopic,
    sinceMs?: number,
  ): Promise<void> {
    const [name = '', idText] = topic.split(':')
    const kind = this.#kinds.get(name)
    const id = idText === undefined ? null : Number(idText)
    if (connection.topics.size >= liveLimits.topicsMax && !connection.topics.has(topic)) {
      return connection.send({ kind: 'refused', topic, code: 'TOO_MANY_REQUESTS' })
    }
    if (!kind || !(await kind.authorise(caller, id))) {
      return connection.send({ kind: 'refused', topic, code: kind ? 'NO_PERMISSION' : 'NOT_FOUND' })
    }
    connection.hold(topic)
    this.#follow(connection, topic)
    try {
      if (sinceMs !== undefined) {
        const past = kind.backfill ? await kind.backfill(caller, id, sinceMs) : null
        if (past) for (const message of past) connection.send(message)
        else connection.send({ kind: 'resync', topic, timeMs: this.#clock.now().getTime() })
      }
      connection.send({ kind: 'subscribed', topic, timeMs: this.#clock.now().getTime() })
      connection.release(topic)
    } catch (error) {
      this.#unfollow(connection, topic)
      this.#log.warn({ err: messageOf(error), topic }, 'live backfill failed')
      connection.send({
        kind: 'refused',
        topic,
        code: error instanceof AppError ? error.code : 'INTERNAL_ERROR',
      })
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
  }

  #forget(connection: Connection): void {
    for (const topic of connection.topics.keys()) this.#unfollow(connection, topic)
    this.#connections.delete(connection)
  }
}

function parse(text: string): LiveClientMessage | undefined {
  try {
    const parsed = Message.safeParse(JSON.parse(text))
    return parsed.success ? (parsed.data as LiveClientMessage) : undefined
  } catch {
    return undefined // not JSON: the caller closes the connection with a reason
  }
}
