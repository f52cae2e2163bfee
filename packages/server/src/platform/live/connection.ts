import type { Socket } from 'node:net'
import { type LiveServerMessage, type LiveTopic, liveLimits } from '@leitstand/contract/live'
import type { WebSocket } from 'ws'
import type { ChangedGrounds } from '../derivedCache.ts'
import type { Caller } from '../http/caller.ts'
import { type Bucket, fullBucket, spent, waitMs } from '../tokenBucket.ts'
import { messageRate, type Place } from './bounds.ts'

interface ConnectionEvents {
  onCutOff(): void
  onClose(): void
}

/** Messages held back during one topic's backfill before the reader is disconnected. */
const heldMax = 5000
/** How long to wait for a client to answer our close frame. */
const goodbyeMs = 1_000

/**
 * One reader. States: waiting for hello → welcome → closed. A topic is held during its backfill, then
 * streams. Unsent data stays below `bufferBytesMax`, or the reader is disconnected with a reason.
 */
export class Connection {
  caller: Caller | undefined
  /** What has changed since the caller began to be authenticated; undefined while nobody is. */
  changes: ChangedGrounds[] | undefined
  /** Credentials from the hello; checked again whenever rights or sessions change. */
  session: { token: string; ip: string } | undefined
  /** A connection says hello once; this is set as soon as it has. */
  saidHello = false
  /**
   * Counts announcements that may concern the connection; checks made before the last one must be repeated.
   */
  epoch = 0
  /** A topic was refused: with other rights it may be granted. */
  wasRefused = false
  /** Client messages are handled one after the other. */
  queue: Promise<void> = Promise.resolve()
  /** Client messages waiting or being handled. */
  waiting = 0
  /** Followed topics; an array holds the messages published during the backfill. */
  readonly topics = new Map<LiveTopic, string[] | 'streaming'>()
  readonly place: Place
  #bucket: Bucket = fullBucket(messageRate, performance.now())
  readonly #socket: WebSocket
  readonly #tcp: Socket
  readonly #events: ConnectionEvents
  #answered = true
  #isGathering = false

  /** @param tcp the socket under the web socket */
  constructor(socket: WebSocket, tcp: Socket, place: Place, events: ConnectionEvents) {
    this.place = place
    this.#socket = socket
    this.#tcp = tcp
    this.#events = events
    socket.on('pong', () => {
      this.#answered = true
    })
    socket.on('error', () => socket.terminate())
    socket.once('close', () => events.onClose())
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  /** Counts a client message. @returns false when the rate is exceeded */
  mayReceive(): boolean {
    const nowMs = performance.now()
    if (waitMs(this.#bucket, messageRate, nowMs) > 0) return false
    this.#bucket = spent(this.#bucket, 1, messageRate, nowMs)
    return true
  }

  /** Reads nothing from the client for a while. */
  pause(ms: number): void {
    this.#socket.pause()
    setTimeout(() => this.#socket.resume(), ms).unref()
  }

  /**
   * Holds messages back until `release`. @returns the held messages; holding ends when the topic is dropped
   */
  hold(topic: LiveTopic): readonly string[] {
    const held: string[] = []
    this.topics.set(topic, held)
    return held
  }

  release(topic: LiveTopic): void {
    const held = this.topics.get(topic)
    this.topics.set(topic, 'streaming')
    if (Array.isArray(held)) for (const text of held) this.#write(text)
  }

  deliver(topic: LiveTopic, text: string): void {
    const state = this.topics.get(topic)
    if (state === 'streaming') this.#write(text)
    else if (state && state.length < heldMax) state.push(text)
    else if (state) this.#cutOff()
  }

  send(message: LiveServerMessage): void {
    this.#write(JSON.stringify(message))
  }

  /** Sends nothing more except the close frame. */
  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
    setTimeout(() => this.#socket.terminate(), goodbyeMs).unref()
  }

  /** Terminates a reader that has not answered since the last ping. */
  beat(): void {
    if (!this.#answered) {
      this.#socket.terminate()
      return
    }
    this.#answered = false
    this.#socket.ping()
  }

  #write(text: string): void {
    if (!this.isOpen) return
    if (this.#socket.bufferedAmount > liveLimits.bufferBytesMax) this.#cutOff()
    else {
      this.#gather()
      this.#socket.send(text)
    }
  }

  /** Messages written in one turn, such as the values of a whole batch, are sent in one write. */
  #gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    this.#tcp.cork()
    process.nextTick(() => {
      this.#isGathering = false
      this.#tcp.uncork()
    })
  }

  #cutOff(): void {
    if (!this.isOpen) return
    this.#events.onCutOff()
    this.close(liveLimits.closeSlowReader, 'reader too slow: resume from the last time seen')
  }
}
