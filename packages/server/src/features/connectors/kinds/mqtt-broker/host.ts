import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { limits } from '@leitstand/contract/common'
import type { Context } from '../../../../platform/context.ts'
import { messageOf, StartError } from '../../../../platform/errors.ts'
import { verify } from '../../../../platform/hashing/index.ts'
import {
  type BrokerEvent,
  type BrokerSettings,
  type InboundPublish,
  MqttBroker,
} from '../../../../platform/mqtt/broker.ts'
import { Lane } from '../../../../platform/mqtt/lane.ts'
import { Passwords } from '../../../../platform/mqtt/passwords.ts'
import { SignIns } from '../../../../platform/mqtt/signIns.ts'
import { coversFilter, matchesFilter } from '../../../../platform/mqtt/topics.ts'
import { hashPassword } from '../../../people/index.ts'
import type { Receiver, Receiving } from '../../receive.ts'
import type { KindTools } from '../types.ts'
import { Neighbours } from './neighbours.ts'

/** An account on the broker: an enabled connector. */
export interface BrokerAccount {
  readonly connector: Receiving
  readonly username: string
  /** argon2id */
  readonly passwordHash: string
  readonly publishTopics: readonly string[]
  readonly subscribeTopics: readonly string[]
  event(event: BrokerEvent): void
  /** Reports a client that was refused, and why. */
  refused(reason: string): void
}

/** A client's connection. */
interface Session {
  readonly name: string
  readonly account: BrokerAccount
  /** messages of one client are stored in order */
  readonly lane: Lane
  isGone: boolean
  /** topics it has published to: a device uses few, a gateway of a network server one per device */
  readonly allowed: Set<string>
}

const allowedMax = 1_000

const publishSubject = 'broker.publish'
const connectedSubject = 'broker.connected'
/** How long nodes may take to find a client. */
const askMs = 1_000

/** A message for clients that may be connected to another node. */
interface Elsewhere {
  username: string
  topic: string
  /** base64 */
  payload: string
}

/** A client that has connected. */
interface Connected {
  username: string
  clientId: string
}

function mayPublish({ account, allowed }: Session, topic: string): boolean {
  if (allowed.has(topic)) return true
  if (!account.publishTopics.some((filter) => matchesFilter(filter, topic))) return false
  if (allowed.size < allowedMax) allowed.add(topic)
  return true
}

/**
 * The single built-in broker behind all connectors of its kind. Opens its port when the first of them is
 * enabled and keeps it open until the server stops.
 */
export class BrokerHost implements AsyncDisposable {
  readonly #ctx: Context
  readonly #receiver: Receiver
  readonly #accounts = new Map<string, BrokerAccount>()
  readonly #passwords = new Passwords((hash, password) => verify(hash, password))
  readonly #signIns = new SignIns()
  readonly #counted
  readonly #neighbours: Neighbours
  /** hash that passwords for unknown user names are compared with */
  #noHash: Promise<string> | undefined
  #broker: MqttBroker<Session> | undefined
  #opening: Promise<void> | undefined

  constructor({ ctx, receiver }: Pick<KindTools, 'ctx' | 'receiver'>) {
    this.#ctx = ctx
    this.#receiver = receiver
    this.#counted = ctx.metrics.counter(
      'mqtt_sign_ins_total',
      'Sign-ins on the built-in MQTT broker: the password was right, wrong, or not looked at after too many wrong ones',
      ['result'],
    )
    this.#neighbours = new Neighbours(ctx.nodes)
    this.#serveOthers()
  }

  /** Addresses of the broker, with the platform's public host name. */
  get endpoints(): string[] {
    const { config } = this.#ctx
    const host = new URL(config.publicUrl).hostname
    const plain = `mqtt://${host}:${this.#broker?.port ?? config.mqttPort}`
    return config.mqttTls
      ? [plain, `mqtts://${host}:${this.#broker?.tlsPort ?? config.mqttTls.port}`]
      : [plain]
  }

  /**
   * Accepts clients of an account.
   * @throws when the port cannot be opened
   */
  async admit(account: BrokerAccount): Promise<void> {
    this.#accounts.set(account.username, account)
    try {
      this.#opening ??= this.#open()
      await this.#opening
    } catch (error) {
      this.#accounts.delete(account.username)
      this.#opening = undefined
      throw error
    }
  }

  /** Disconnects the clients of an account. */
  dismiss(account: BrokerAccount): void {
    if (this.#accounts.get(account.username) === account) this.#accounts.delete(account.username)
    this.#broker?.disconnect((session) => session.account === account)
  }

  /** Publishes to the clients of an account, on every node. @returns false when none of them listens to the topic */
  async publish(username: string, topic: string, payload: Buffer): Promise<boolean> {
    const { nodes } = this.#ctx
    const elsewhere: Elsewhere = { username, topic, payload: payload.toString('base64') }
    if (await this.#publishHere(username, topic, payload)) {
      nodes.tell(publishSubject, elsewhere)
      return true
    }
    // Who has such a client answers; of the others nothing is heard.
    const asked = await nodes.ask<true>(publishSubject, elsewhere, askMs)
    return typeof asked === 'object'
  }

  async #publishHere(username: string, topic: string, payload: Buffer): Promise<boolean> {
    if (!this.#accounts.has(username) || this.#broker === undefined) return false
    return this.#broker.publish(username, topic, payload)
  }

  /** What other nodes want from the clients of this one. */
  #serveOthers(): void {
    const { nodes } = this.#ctx
    const publish = ({ username, topic, payload }: Elsewhere) =>
      this.#publishHere(username, topic, Buffer.from(payload, 'base64'))
    nodes.answer(publishSubject, async (question) =>
      (await publish(question as Elsewhere)) ? true : undefined,
    )
    nodes.hear(publishSubject, (message) => {
      publish(message as Elsewhere).catch((error: unknown) =>
        this.#ctx.log.warn({ err: error }, 'a message of another node did not reach its clients'),
      )
    })
    nodes.hear(connectedSubject, (message) => {
      const { username, clientId } = message as Connected
      // MQTT 3.1.1, 3.1.4: a client that connects again ends its earlier connection.
      this.#broker?.disconnect((session, id) => session.account.username === username && id === clientId)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#neighbours[Symbol.asyncDispose]()
    await this.#broker?.[Symbol.asyncDispose]()
  }

  async #open(): Promise<void> {
    const broker = new MqttBroker<Session>(
      this.#settings(),
      {
        authenticate: (username, password, ip) => this.#authenticate(username, password, ip),
        mayPublish,
        maySubscribe: ({ account }, filter) =>
          account.subscribeTopics.some((right) => coversFilter(right, filter)),
        receive: (session, message) => this.#receive(session, message),
        event: (session, event) => {
          if (event.kind === 'disconnected') session.isGone = true
          if (event.kind === 'connected') {
            const connected: Connected = { username: session.account.username, clientId: event.clientId }
            this.#ctx.nodes.tell(connectedSubject, connected)
          }
          session.account.event(event)
        },
        subscribed: (username, isHeard) => this.#neighbours.changed(username, isHeard),
        turnedAway: (username, reason) => this.#accounts.get(username)?.refused(reason),
      },
      this.#ctx.log.child({ part: 'mqtt broker' }),
      this.#ctx.metrics,
    )
    const { host, mqttPort } = this.#ctx.config
    try {
      await broker.listen()
    } catch (error) {
      throw new StartError(`The MQTT broker cannot listen at ${host}:${mqttPort}: ${messageOf(error)}`)
    }
    this.#broker = broker
    this.#ctx.log.info({ host, port: broker.port }, 'MQTT broker listens')
  }

  /** Resolves when the message is committed; then clients on other nodes get it. */
  #receive(session: Session, { topic, payload, qos }: InboundPublish): Promise<unknown> {
    const { account, lane } = session
    const isGone = () => session.isGone && qos > 0
    const received = this.#receiver.receiveInOrder(account.connector, { topic, payload, isGone }, lane)
    if (!this.#neighbours.hears(account.username)) return received
    return received.then(() => {
      const elsewhere: Elsewhere = { username: account.username, topic, payload: payload.toString('base64') }
      this.#ctx.nodes.tell(publishSubject, elsewhere)
    })
  }

  #settings(): BrokerSettings {
    const { host, mqttPort, mqttTls } = this.#ctx.config
    const common = { host, port: mqttPort, packetBytesMax: limits.bodyBytesMax }
    if (!mqttTls) return common
    const tls = {
      port: mqttTls.port,
      cert: readFileSync(mqttTls.certFile),
      key: readFileSync(mqttTls.keyFile),
    }
    return { ...common, tls }
  }

  /**
   * Counts wrong passwords. Above the limit no password is checked, not even a correct one, so that guessing
   * stops. An unknown user name takes as long to refuse as a known one.
   */
  async #authenticate(username: string, password: string, ip: string): Promise<Session | null | 'busy'> {
    const account = this.#accounts.get(username)
    if (!this.#signIns.mayTry(username, ip)) return this.#turnAway(account, ip)
    this.#noHash ??= hashPassword(randomBytes(24).toString('base64'))
    const hash = account?.passwordHash ?? (await this.#noHash)
    const given = account ? password.normalize('NFKC') : `${username}\n${password}`
    const isNew = !this.#passwords.isRemembered(hash, given)
    const attempt = isNew ? this.#signIns.begin(username, ip) : undefined
    const fits = await this.#passwords.fits(hash, given, attempt?.isKnown).catch((error: unknown) => {
      attempt?.forgive()
      throw error
    })
    if (fits === 'busy') {
      attempt?.forgive()
      return 'busy'
    }
    this.#counted.inc({ result: fits && account ? 'right' : 'wrong' })
    // The connector may have been disabled while the password was being checked.
    if (!fits || !account || this.#accounts.get(username) !== account) {
      account?.refused(`Wrong password from ${ip}`)
      return null
    }
    if (attempt) attempt.succeed()
    else this.#signIns.know(username, ip)
    return { name: username, account, lane: new Lane(), isGone: false, allowed: new Set() }
  }

  #turnAway(account: BrokerAccount | undefined, ip: string): 'busy' {
    this.#counted.inc({ result: 'refused' })
    account?.refused(`Too many wrong passwords: nobody is let in from ${ip} for now`)
    if (account)
      this.#ctx.limitHits.note(account.connector.accountId, 'mqttSignIns', {
        detail: `${account.username}: ${ip}`,
      })
    return 'busy'
  }
}
