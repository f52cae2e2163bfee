import { randomUUID } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import {
  Aedes,
  type AedesOptions,
  type AuthenticateError,
  type Client,
  type Connection,
  type ConnectPacket,
  type PublishPacket,
  type Subscription,
} from 'aedes'
import { messageOf } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { guardPackets } from './sizeGuard.ts'
import { Subscribers } from './subscribers.ts'

/** Limits of the broker. */
export const brokerLimits = {
  connectionsMax: 20_000,
  clientIdLengthMax: 256,
  /** a connection without CONNECT is closed after this time */
  connectTimeoutMs: 10_000,
  /** a subscriber that reads nothing for this long is disconnected, because its publishers wait for it */
  slowSubscriberMs: 5_000,
  topicLevelsMax: 30,
  /** idle time after which TCP probes whether the peer still exists */
  keepAliveMs: 60_000,
  /** how long a stop waits for messages that are being stored */
  stopMs: 5_000,
} as const

export interface InboundPublish {
  readonly topic: string
  readonly payload: Buffer
  /** from 1 on the client resends the message if it gets no acknowledgement */
  readonly qos: number
  readonly clientId: string
}

/** What happened to a client, for logs. */
export interface BrokerEvent {
  readonly kind:
    | 'connected'
    | 'disconnected'
    | 'publish-refused'
    | 'subscribe-refused'
    | 'too-large'
    | 'store-failed'
  readonly clientId: string
  readonly detail: string
}

/**
 * Callbacks of the broker's owner. A session belongs to an account of the broker, not to a client: its
 * clients see each other's messages and no others.
 */
export interface BrokerHandlers<Session extends { readonly name: string }> {
  /** null: wrong name or password; `busy`: try again later. Rejecting counts as busy. */
  authenticate(username: string, password: string, ip: string): Promise<Session | null | 'busy'>
  mayPublish(session: Session, topic: string): boolean
  maySubscribe(session: Session, filter: string): boolean
  /**
   * Takes a message. The client gets its PUBACK when this resolves; when it rejects the connection is closed
   * and the client resends the message. Called in order of arrival per client.
   */
  receive(session: Session, message: InboundPublish): Promise<unknown>
  event(session: Session, event: BrokerEvent): void
  /** Clients of an account, by its user name, listen to something now, or none does any more. */
  subscribed?(account: string, isHeard: boolean): void
  /** A client was refused before its password was checked; the name is unverified. */
  turnedAway(username: string, reason: string): void
}

export interface BrokerSettings {
  readonly host: string
  /** 0: any free port */
  readonly port: number
  readonly tls?: { readonly port: number; readonly cert: Buffer; readonly key: Buffer }
  readonly packetBytesMax: number
}

/** Return codes of CONNACK. */
const refused = { unavailable: 3, badLogin: 4 } as const
const clientIdSeparator = '\n'

/**
 * The built-in MQTT 3.1.1 broker. Acknowledged means stored: PUBACK (PUBREC for QoS 2) follows `receive`, and
 * while a chunk of a client's messages is being stored its socket is not read. It keeps no messages, neither
 * for disconnected clients (every session is clean, CONNACK says so) nor retained ones. `$SYS` is closed.
 */
export class MqttBroker<Session extends { readonly name: string }> implements AsyncDisposable {
  readonly #handlers: BrokerHandlers<Session>
  readonly #settings: BrokerSettings
  readonly #log: Logger
  readonly #sessions = new WeakMap<Client, Session>()
  readonly #clients = new Set<Client>()
  readonly #subscribers = new Subscribers<Client>(
    (client) => accountOf(client.id),
    (account, isHeard) => this.#handlers.subscribed?.(account, isHeard),
  )
  /** clients that sent an oversized packet: what they sent before and is not read yet is not accepted either */
  readonly #cutOff = new WeakSet<Client>()
  /** messages that are being stored */
  #storing = 0
  readonly #idleWaiters: (() => void)[] = []
  readonly #servers: Server[] = []
  readonly #aedes: Aedes

  constructor(settings: BrokerSettings, handlers: BrokerHandlers<Session>, log: Logger, metrics: Metrics) {
    this.#settings = settings
    this.#handlers = handlers
    this.#log = log
    const options: AedesOptions = {
      // 0: no limit across clients, or one slow subscriber would block the publishers of all others
      concurrency: 0,
      connectTimeout: brokerLimits.connectTimeoutMs,
      drainTimeout: brokerLimits.slowSubscriberMs,
      maxTopicLevels: brokerLimits.topicLevelsMax,
      maxClientsIdLength: 2 * brokerLimits.clientIdLengthMax,
      preConnect: (_client, packet, done) => {
        const problem = connectProblem(packet)
        if (problem !== null) {
          handlers.turnedAway(packet.username ?? '', problem)
          return done(new Error(problem), false)
        }
        if (packet.protocolVersion === 5) handlers.turnedAway(packet.username ?? '', versionProblem)
        // Client ids are unique within an account of the broker, not globally, so no client can take over the
        // session of another account.
        const own = packet.clientId === '' ? `auto-${randomUUID()}` : packet.clientId
        packet.clientId = `${packet.username}${clientIdSeparator}${own}`
        packet.clean = true
        done(null, true)
      },
      authenticate: (client, username, password, done) => {
        this.#authenticate(client, username ?? '', password).then(
          (session) => done(session === null ? loginError(refused.badLogin) : null, session !== null),
          (error: unknown) => {
            if (!(error instanceof BrokerBusy)) this.#log.error({ err: error }, 'MQTT sign-in failed')
            done(loginError(refused.unavailable), false)
          },
        )
      },
      authorizePublish: (client, packet, done) => this.#authorizePublish(client, packet, done),
      authorizeSubscribe: (client, subscription, done) =>
        done(null, this.#subscription(client, subscription)),
      authorizeForward: (client, packet) =>
        sameAccount(client.id, (packet as { clientId?: string }).clientId) ? packet : null,
    }
    this.#aedes = new Distributor(options, (account) => this.#subscribers.has(account))
    this.#aedes.on('clientReady', (client) => this.#ready(client))
    this.#aedes.on('clientDisconnect', (client) => this.#gone(client))
    this.#aedes.on('unsubscribe', (filters, client) => this.#subscribers.drop(client, filters))
    this.#aedes.on('clientError', (client, error) => this.#failed(client, error))
    this.#aedes.on('connectionError', (_client, error) =>
      log.debug({ reason: error.message }, 'MQTT connection refused'),
    )
    this.#aedes.on('error' as never, ((error: Error) => log.error({ err: error }, 'MQTT broker')) as never)
    metrics.gauge('mqtt_clients', 'Clients of the built-in MQTT broker', () => this.#clients.size)
  }

  /** The port it listens on. */
  get port(): number {
    return portOf(this.#servers[0])
  }

  get tlsPort(): number | null {
    return this.#servers[1] ? portOf(this.#servers[1]) : null
  }

  /** @throws when a port cannot be opened; any opened ports are closed again */
  async listen(): Promise<void> {
    if (this.#aedes.closed) await this.#aedes.listen()
    const { host, port, tls } = this.#settings
    const accept = (socket: Socket) => this.#accept(socket)
    try {
      // Without TCP keep-alive, clients that vanish without an MQTT keep-alive would hold their place
      // forever.
      const sockets = { noDelay: true, keepAlive: true, keepAliveInitialDelay: brokerLimits.keepAliveMs }
      this.#servers.push(await opened(createServer(sockets, accept), host, port))
      if (tls) {
        const server = createTlsServer(
          { ...sockets, cert: tls.cert, key: tls.key, minVersion: 'TLSv1.2' },
          accept,
        )
        server.on('tlsClientError', (error) =>
          this.#log.debug({ reason: error.message }, 'MQTT TLS handshake'),
        )
        this.#servers.push(await opened(server, host, tls.port))
      }
    } catch (error) {
      for (const server of this.#servers.splice(0)) server.close()
      throw error
    }
    for (const server of this.#servers) {
      server.maxConnections = brokerLimits.connectionsMax
      server.on('error', (error) => this.#log.error({ err: error }, 'MQTT listener'))
    }
  }

  /**
   * Disconnects the clients of some sessions: after a change of password or rights, when an account is
   * disabled, or when a client has connected elsewhere.
   */
  disconnect(of: (session: Session, clientId: string) => boolean): void {
    for (const client of this.#clients) {
      const session = this.#sessions.get(client)
      if (session && of(session, plainId(client.id))) client.close()
    }
  }

  /**
   * Publishes to the clients of an account, with QoS 1.
   * @returns false when none of them listens to the topic: the broker keeps no messages
   */
  publish(account: string, topic: string, payload: Buffer): Promise<boolean> {
    if (!this.#subscribers.hears(account, topic)) return Promise.resolve(false)
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    // `authorizeForward` shows it to clients of this account only.
    const from = { clientId: `${account}${clientIdSeparator}` }
    const message = { cmd: 'publish', topic, payload, qos: 1, retain: false, dup: false } as const
    this.#aedes.publish({ ...message, ...from }, (error) => (error ? reject(error) : resolve(true)))
    return promise
  }

  /** Clients of one session. */
  count(of: (session: Session) => boolean): number {
    let count = 0
    for (const client of this.#clients) {
      const session = this.#sessions.get(client)
      if (session && of(session)) count += 1
    }
    return count
  }

  /**
   * Stops accepting connections, lets messages being stored be acknowledged, then closes every connection.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)))
    await this.#settle()
    await new Promise<void>((resolve) => this.#aedes.close(resolve))
    // wills of the connections that were closed
    await this.#settle()
    await Promise.all(closed)
  }

  async #settle(): Promise<void> {
    const patience = Promise.withResolvers<void>()
    const timer = setTimeout(patience.resolve, brokerLimits.stopMs)
    const idle = new Promise<void>((resolve) => {
      if (this.#storing === 0) resolve()
      else this.#idleWaiters.push(resolve)
    })
    await Promise.race([idle, patience.promise])
    clearTimeout(timer)
    // acknowledgements are written with the next tick
    await new Promise((resolve) => setImmediate(resolve))
  }

  #accept(socket: Socket): void {
    // Before the broker can read from it.
    guardPackets(socket, { bytesMax: this.#settings.packetBytesMax }, (detail) => {
      this.#cutOff.add(client)
      const session = this.#sessions.get(client)
      if (session) this.#handlers.event(session, { kind: 'too-large', clientId: plainId(client.id), detail })
    })
    const client: Client = this.#aedes.handle(socket)
  }

  async #authenticate(
    client: Client,
    username: string,
    password: Buffer | undefined,
  ): Promise<Session | null> {
    const ip = ipOf(client.conn)
    const session = await this.#handlers.authenticate(username, password?.toString('utf8') ?? '', ip)
    if (session === 'busy') throw new BrokerBusy()
    if (session) this.#sessions.set(client, session)
    return session
  }

  /** Called for messages and, when a client disconnects without DISCONNECT, for its will. */
  #authorizePublish(
    client: Client | null,
    packet: PublishPacket,
    done: (error?: Error | null) => void,
  ): void {
    const session = client ? this.#sessions.get(client) : undefined
    if (!client || !session || this.#cutOff.has(client)) {
      done(new Error('nobody publishes this'))
      return
    }
    const clientId = plainId(client.id)
    packet.retain = false
    if (packet.topic.startsWith('$') || !this.#handlers.mayPublish(session, packet.topic)) {
      this.#handlers.event(session, { kind: 'publish-refused', clientId, detail: packet.topic.slice(0, 200) })
      // 3.1.1 has no way to refuse a message except closing the connection (3.3.5).
      done(new Error('not allowed to publish there'))
      return
    }
    const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload
    this.#storing++
    this.#handlers.receive(session, { topic: packet.topic, payload, qos: packet.qos, clientId }).then(
      () => {
        this.#stored()
        done()
      },
      (error: unknown) => {
        this.#stored()
        this.#handlers.event(session, { kind: 'store-failed', clientId, detail: messageOf(error) })
        done(new Error('the message could not be stored'))
      },
    )
  }

  #stored(): void {
    this.#storing--
    if (this.#storing > 0) return
    for (const waiter of this.#idleWaiters.splice(0)) waiter()
  }

  /** The subscription, or null: only this one is refused (SUBACK 0x80) and the connection stays open. */
  #subscription(client: Client, subscription: Subscription): Subscription | null {
    const session = this.#sessions.get(client)
    const { topic } = subscription
    // Add nothing for a client that has already disconnected: it would never be removed.
    if (session && !client.closed && !topic.startsWith('$') && this.#handlers.maySubscribe(session, topic)) {
      if (this.#subscribers.add(client, topic)) return subscription
    }
    if (session) {
      const detail = topic.slice(0, 200)
      this.#handlers.event(session, { kind: 'subscribe-refused', clientId: plainId(client.id), detail })
    }
    return null
  }

  /** The broker also announces a client that disconnected during sign-in, after reporting its end. */
  #ready(client: Client): void {
    const session = this.#sessions.get(client)
    if (!session || client.closed) return
    this.#clients.add(client)
    this.#handlers.event(session, {
      kind: 'connected',
      clientId: plainId(client.id),
      detail: ipOf(client.conn),
    })
  }

  #gone(client: Client): void {
    this.#subscribers.forget(client)
    const session = this.#sessions.get(client)
    if (!this.#clients.delete(client) || !session) return
    this.#handlers.event(session, { kind: 'disconnected', clientId: plainId(client.id), detail: '' })
  }

  #failed(client: Client, error: Error): void {
    this.#log.debug(
      { client: plainId(client.id), reason: error.message },
      'MQTT connection closed after an error',
    )
  }
}

/** Skips distribution where an account has no subscribers, as with most devices: they only publish. */
class Distributor extends Aedes {
  readonly #hasSubscribers: (account: string) => boolean

  constructor(options: AedesOptions, hasSubscribers: (account: string) => boolean) {
    super(options)
    this.#hasSubscribers = hasSubscribers
  }

  // The broker itself calls it with the client as the second argument, which its types omit.
  override publish(
    packet: PublishPacket,
    client: Client | null | ((error?: Error) => void),
    done?: (error?: Error) => void,
  ): void {
    if (client !== null && typeof client !== 'function' && !this.#hasSubscribers(accountOf(client.id)))
      done?.()
    else Reflect.apply(super.publish, this, [packet, client, done])
  }
}

class BrokerBusy extends Error {}

/** The client gets the matching CONNACK (return code 1). */
const versionProblem = 'The client speaks MQTT 5, the broker MQTT 3.1 and 3.1.1'

function connectProblem({ clientId, username, clean }: ConnectPacket): string | null {
  if (!username) return 'The client gives no user name'
  if (username.includes(clientIdSeparator) || clientId.includes(clientIdSeparator)) {
    return 'The client id has a line break'
  }
  if (clientId.length > brokerLimits.clientIdLengthMax) {
    return `The client id has more than ${brokerLimits.clientIdLengthMax} characters`
  }
  // MQTT 3.1.1, 3.1.3.1: without a client id there is no session to resume.
  return clientId === '' && clean === false ? 'A client without client id must ask for a clean session' : null
}

function loginError(returnCode: number): AuthenticateError {
  return Object.assign(new Error(returnCode === refused.badLogin ? 'wrong login' : 'unavailable'), {
    returnCode: returnCode as AuthenticateError['returnCode'],
  })
}

function sameAccount(one: string, other: string | undefined): boolean {
  return other !== undefined && accountOf(one) === accountOf(other)
}

function accountOf(clientId: string): string {
  return clientId.slice(0, clientId.indexOf(clientIdSeparator))
}

/** The client id as sent by the client. */
function plainId(clientId: string | null): string {
  return clientId === null ? '' : clientId.slice(clientId.indexOf(clientIdSeparator) + 1)
}

function ipOf(connection: Connection): string {
  return ('remoteAddress' in connection ? connection.remoteAddress : undefined) ?? ''
}

function portOf(server: Server | undefined): number {
  const address = server?.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function opened(server: Server, host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.removeListener('error', reject)
      resolve(server)
    })
  })
}
