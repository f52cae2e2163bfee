import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { messageOf } from '../errors.ts'
import type { Logger } from '../log.ts'
import { guardedSocket, type SocketGuard } from '../net/guardedSocket.ts'
import { backoffMs } from './backoff.ts'
import { guardPackets } from './sizeGuard.ts'
import { matchesFilter } from './topics.ts'

/** Limits of a connection to an external broker. */
export const clientLimits = {
  /** messages being stored before the socket is paused */
  inFlightMax: 200,
  /** messages read before other work has its turn */
  atOnce: 100,
  /** a broker that announces a larger packet is disconnected before the packet is buffered */
  packetBytesMax: 16 * 1024 * 1024,
  connectTimeoutMs: 10_000,
  keepaliveSeconds: 30,
  /** how long a stop waits for messages that are being stored, and then for the DISCONNECT */
  stopMs: 5_000,
  goodbyeMs: 2_000,
  probeMs: 10_000,
  publishMs: 10_000,
} as const

/** Where to connect and which topics to subscribe to. */
export interface ForeignBroker {
  readonly host: string
  readonly port: number
  readonly tls: boolean
  readonly allowSelfSigned: boolean
  readonly username: string
  readonly password: string
  /** identifies the session in which the broker keeps messages while we are disconnected */
  readonly clientId: string
  readonly topics: readonly string[]
}

export interface ForeignHandlers {
  /**
   * Takes a message. It is acknowledged when this resolves; when it rejects the connection is dropped, and
   * the broker resends the message after the reconnect.
   */
  receive(message: {
    topic: string
    payload: Buffer
    /** whether its connection is closed, so that the broker will resend it */
    isGone: () => boolean
  }): Promise<void>
  /**
   * `connecting` first and after a lost connection, `error` after a failed attempt; it retries until it is
   * stopped.
   */
  state(state: 'connecting' | 'connected' | 'error', message: string): void
}

type Publish = Parameters<MqttClient['handleMessage']>[0]

/**
 * A client of an external MQTT broker with QoS 1 and a persistent session: messages published while we are
 * disconnected arrive later. Acknowledged means stored; up to `inFlightMax` messages are in flight at a time.
 */
export class ForeignClient implements AsyncDisposable {
  readonly #broker: ForeignBroker
  readonly #handlers: ForeignHandlers
  readonly #log: Logger
  readonly #client: MqttClient
  readonly #storing = new Set<Promise<void>>()
  #taken = 0
  #blocked: (() => void) | undefined
  #failures = 0
  #connected = false
  #subscribed = false
  #stopping = false
  #lastError = ''

  /**
   * @param outgoing decides which addresses are allowed, checked at each attempt
   * @param random from 0 to below 1, adds jitter to reconnects
   */
  constructor(
    broker: ForeignBroker,
    handlers: ForeignHandlers,
    log: Logger,
    outgoing: SocketGuard,
    random = Math.random,
  ) {
    this.#broker = broker
    this.#handlers = handlers
    this.#log = log
    const refused = (problem: string) => {
      this.#lastError = `${addressOf(broker)} ${problem}`
    }
    const options: IClientOptions = {
      clientId: broker.clientId,
      clean: false,
      resubscribe: false,
      reconnectOnConnackError: true,
      reconnectPeriod: backoffMs(0, random()),
    }
    const client = openClient(broker, outgoing, options, refused)
    this.#client = client
    client.handleMessage = (packet, done) => this.#take(packet, done)
    watchPackets(client, refused)
    client.on('connect', ({ sessionPresent }) => void this.#greet(sessionPresent))
    client.on('error', (error) => {
      this.#lastError = explain(error, broker)
    })
    client.on('close', () => this.#lost())
    client.on('reconnect', () => {
      this.#failures += 1
      client.options.reconnectPeriod = backoffMs(this.#failures, random())
    })
    handlers.state('connecting', `Connecting to ${addressOf(broker)}`)
  }

  /**
   * Unsubscribes from topics, so that the broker stops queueing messages for them; used before a final stop.
   */
  async unsubscribe(topics: readonly string[]): Promise<void> {
    if (topics.length === 0 || !this.#connected) return
    try {
      await this.#client.unsubscribeAsync([...topics])
    } catch (error) {
      this.#log.warn({ err: error }, 'topics of a foreign broker could not be given up')
    }
  }

  /**
   * Publishes a message; with QoS 1 it resolves when the broker has acknowledged it.
   * @returns `away` without a connection: nothing was sent; `silent`: sent, but not acknowledged in time
   */
  async publish(topic: string, payload: Buffer, qos: 0 | 1): Promise<'taken' | 'away' | 'silent'> {
    if (!this.#connected || this.#stopping || !this.#client.connected) return 'away'
    const { stream } = this.#client
    const taken = this.#client.publishAsync(topic, payload, { qos }).then(
      () => 'taken' as const,
      (error: unknown) => {
        this.#log.debug({ reason: messageOf(error) }, 'a message to a foreign broker was interrupted')
        return 'silent' as const
      },
    )
    const answer = await within(clientLimits.publishMs, taken)
    // QoS 0 has no acknowledgement: the message counts as sent if the connection is still open.
    if (answer === 'taken' && qos === 0 && this.#client.stream !== stream) return 'silent'
    return answer ?? 'silent'
  }

  /** Accepts no more messages, lets those being stored be acknowledged, then disconnects. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true
    await within(clientLimits.stopMs, Promise.allSettled(this.#storing))
    // Without a connection no DISCONNECT is sent, and `endAsync` would never resolve.
    if (this.#client.connected) await within(clientLimits.goodbyeMs, this.#client.endAsync(false))
    this.#client.end(true)
    this.#client.stream.destroy()
  }

  /**
   * A session that the broker still has keeps its subscriptions; on the first connection they may have
   * changed.
   */
  async #greet(sessionPresent: boolean): Promise<void> {
    try {
      if (!sessionPresent || !this.#subscribed) {
        const problem = await subscribeAll(this.#client, this.#broker.topics)
        if (problem !== null) {
          this.#lastError = problem
          this.#client.stream.destroy()
          return
        }
        this.#subscribed = true
      }
      this.#connected = true
      this.#failures = 0
      this.#lastError = ''
      this.#handlers.state('connected', `Connected to ${addressOf(this.#broker)}`)
    } catch (error) {
      // the connection was lost in the meantime: `close` follows
      this.#log.debug({ reason: messageOf(error) }, 'subscription interrupted')
    }
  }

  #lost(): void {
    if (this.#stopping) return
    const reason = this.#lastError || `${addressOf(this.#broker)} closed the connection`
    this.#handlers.state(this.#connected ? 'connecting' : 'error', reason)
    this.#connected = false
    this.#lastError = ''
  }

  /**
   * Called by the client for one message at a time. Calling `done` makes it read on; with an error the
   * acknowledgement is left to us.
   */
  #take(packet: Publish, done: (error?: Error) => void): void {
    if (this.#stopping) return
    const { stream } = this.#client
    const stored = this.#store(packet).then(
      () => {
        // Message ids belong to a connection: after a reconnect the message is resent and acknowledged with
        // its new id.
        if (packet.qos > 0 && packet.messageId !== undefined && this.#client.stream === stream) {
          this.#acknowledge(packet.messageId)
        }
      },
      (error: unknown) => {
        this.#lastError = `A message could not be stored: ${messageOf(error)}`
        if (this.#client.stream === stream) stream.destroy()
      },
    )
    this.#storing.add(stored)
    void stored.finally(() => {
      this.#storing.delete(stored)
      const readOn = this.#blocked
      // first: reading on may block again before it returns
      this.#blocked = undefined
      readOn?.()
    })
    this.#taken += 1
    const next = () => done(packet.qos > 0 ? new Error('acknowledged when it is stored') : undefined)
    // The client reads a whole chunk without a pause: thousands of small messages would hold up everything else.
    const readOn = this.#taken % clientLimits.atOnce === 0 ? () => void setImmediate(next) : next
    if (this.#storing.size < clientLimits.inFlightMax) readOn()
    else this.#blocked = readOn
  }

  async #store({ topic, payload, qos }: Publish): Promise<void> {
    // The session of an earlier configuration may still deliver topics we no longer want.
    if (!this.#broker.topics.some((filter) => matchesFilter(filter, topic))) return
    const { stream } = this.#client
    await this.#handlers.receive({
      topic,
      payload: typeof payload === 'string' ? Buffer.from(payload) : payload,
      isGone: () => qos > 0 && this.#client.stream !== stream,
    })
  }

  #acknowledge(messageId: number): void {
    // PUBACK, 3.1.1 section 3.4; the client itself can only send it before it reads on
    const bytes = Uint8Array.of(0x40, 2, messageId >> 8, messageId & 0xff)
    if (this.#client.connected) this.#client.stream.write(bytes)
  }
}

/** The result of a connection test; null where it succeeded. */
export interface Probe {
  readonly connection: string | null
  readonly subscription: string | null
}

/**
 * Connects and subscribes with a different client id, leaving the real session untouched, and reports what
 * failed.
 */
export async function probe(broker: ForeignBroker, outgoing: SocketGuard): Promise<Probe> {
  let problem = ''
  const refused = (found: string) => {
    problem = found
  }
  const options: IClientOptions = {
    clientId: `${broker.clientId.slice(0, 80)}-check-${crypto.randomUUID().slice(0, 8)}`,
    clean: true,
    reconnectPeriod: 0,
  }
  const client = openClient(broker, outgoing, options, refused)
  watchPackets(client, refused)
  // Messages that arrive during the test are for the real session.
  client.handleMessage = (_packet, done) => done()
  try {
    const failure = await within(clientLimits.probeMs, connected(client))
    if (failure !== null) {
      const silent = problem === '' ? 'does not answer' : problem
      const reason = failure === undefined || problem !== '' ? `${addressOf(broker)} ${silent}` : failure
      return { connection: typeof reason === 'string' ? reason : explain(reason, broker), subscription: null }
    }
    const refused = await within(clientLimits.probeMs, subscribeAll(client, broker.topics))
    return { connection: null, subscription: refused === undefined ? 'The broker does not answer' : refused }
  } catch (error) {
    return { connection: null, subscription: messageOf(error) }
  } finally {
    client.end(true)
  }
}

/** Resolves with null when connected, otherwise with the reason of the failure. */
function connected(client: MqttClient): Promise<Error | string | null> {
  return new Promise((resolve) => {
    client.once('connect', () => resolve(null))
    client.once('error', resolve)
    client.once('close', () => resolve('The connection was closed before the broker answered'))
  })
}

/**
 * Disconnects from a broker that sends packets that are cut short, or QoS 2 messages, which wait in memory for a
 * second step (we subscribe with QoS 1, so no broker may send them).
 * @param refused called with the reason before the connection ends
 */
function watchPackets(client: MqttClient, refused: (problem: string) => void): void {
  const hangUp = (problem: string) => {
    refused(problem)
    client.stream.destroy()
  }
  client.on('packetreceive', (packet) => {
    // A packet cut off inside its id has -1 there, and the client throws when it writes that into its
    // acknowledgement.
    if (packet.messageId !== undefined && packet.messageId < 0) {
      packet.messageId = 0
      hangUp('sends a packet that is cut short')
    }
    if (packet.cmd !== 'publish' || packet.qos !== 2) return
    hangUp('sends with QoS 2')
    const { messageId } = packet
    // The client has stored it by then.
    if (messageId !== undefined) setImmediate(() => client.incomingStore.del({ messageId }, () => {}))
  })
}

/** @returns the topics the broker refused, as a sentence, or null */
async function subscribeAll(client: MqttClient, topics: readonly string[]): Promise<string | null> {
  const refused: string[] = []
  await Promise.all(
    topics.map(
      (topic) =>
        new Promise<void>((resolve, reject) => {
          client.subscribe(topic, { qos: 1 }, (error, granted) => {
            if (granted?.some(({ qos }) => qos === 128)) refused.push(topic)
            else if (error && client.connected) refused.push(topic)
            else if (error) reject(error)
            resolve()
          })
        }),
    ),
  )
  return refused.length === 0 ? null : `The broker refuses the subscription to ${refused.join(', ')}`
}

/**
 * A client whose connections and reconnects all go through the guard. It disconnects from a broker whose packets
 * are too large or too many at once.
 * @param refused called with the reason before the connection ends
 */
function openClient(
  broker: ForeignBroker,
  outgoing: SocketGuard,
  options: IClientOptions,
  refused: (problem: string) => void,
): MqttClient {
  const tls = broker.tls ? { rejectUnauthorized: !broker.allowSelfSigned } : null
  const client = new mqtt.MqttClient(
    (self) => {
      const socket = guardedSocket(outgoing, broker, tls)
      guardPackets(socket, { bytesMax: clientLimits.packetBytesMax }, (problem) =>
        refused(`sends ${problem}`),
      )
      // The client forwards only some network errors, and none for certificates and forbidden networks.
      socket.on('error', (error) => self.emit('error', error))
      return socket
    },
    {
      protocolVersion: 4,
      keepalive: clientLimits.keepaliveSeconds,
      connectTimeout: clientLimits.connectTimeoutMs,
      ...(broker.username === '' ? {} : { username: broker.username }),
      ...(broker.password === '' ? {} : { password: broker.password }),
      ...options,
    },
  )
  // An `error` event without a listener would end the process; callers add their own listeners.
  client.on('error', () => {})
  return client
}

function addressOf({ host, port }: ForeignBroker): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

const networkErrors: Readonly<Record<string, string>> = {
  OUTGOING_ADDRESS_FORBIDDEN:
    'it is not on the public internet, and the operator does not allow its network (ALLOWED_NETWORKS)',
  OUTGOING_HOST_UNKNOWN: 'the host is unknown',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut; is TLS set rightly?',
  ENOTFOUND: 'the host is unknown',
  EAI_AGAIN: 'the host could not be looked up',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate cannot be verified',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
  EPROTO: 'the TLS handshake failed; is TLS set rightly?',
}

/** Return codes of CONNACK (MQTT 3.1.1, 3.2.2.3). */
const refusals: Readonly<Record<number, string>> = {
  1: 'it does not speak MQTT 3.1.1',
  2: 'it refuses the client id',
  3: 'it is not available',
  4: 'it refuses user name or password',
  5: 'it refuses the login',
}

/** A connection error as a sentence. */
function explain(error: Error, broker: ForeignBroker): string {
  const { code } = error as { code?: unknown }
  const inner =
    error instanceof AggregateError ? (error.errors[0] as { code?: unknown } | undefined) : undefined
  const reason =
    (typeof code === 'number' ? refusals[code] : undefined) ??
    networkErrors[String(code ?? inner?.code)] ??
    error.message
  return `${addressOf(broker)}: ${reason}`
}

/** The promise's result, or undefined on a timeout. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), ms)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
