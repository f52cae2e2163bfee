import type { Socket } from 'node:net'
import { type LiveServerMessage, type LiveTopic, liveLimits } from '@leitstand/contract/live'
import type { WebSocket } from 'ws'
import type { Caller } from '../http/caller.ts'

interface ConnectionEvents {
  onCutOff(): void
  onClose(): void
}

/** Messages kept back during one topic's backfill before the reader is cut off. */
const heldMax = 5000

/**
 * One reader. States: waiting for hello → welcome → closed. A topic is held during its backfill, then streams.
 * What the reader has not taken yet stays below `bufferBytesMax`, or it is cut off with a reason.
 */
export class Connection {
  caller: Caller | undefined
  /** What the hello showed, checked again at every beat. */
  session: { token: string; ip: string } | undefined
  /** Messages of the client are handled one after the other. */
  queue: Promise<void> = Promise.resolve()
  /** How many of them wait or are being handled. */
  waiting = 0
  /** Topics followed; an array holds what was published during the backfill. */
  readonly topics = new Map<LiveTopic, string[] | 'streaming'>()
  readonly #socket: WebSocket
  readonly #tcp: Socket
  readonly #events: ConnectionEvents
  #answered = true
  #isGathering = false

  /** @param tcp what the web socket speaks over */
  constructor(socket: WebSocket, tcp: Socket, events: ConnectionEvents) {
    this.#socket = socket
    this.#tcp = tcp
    this.#events = events
    socket.on('pong', () => {
      this.#answered = true
    })
    socket.on('error', () => socket.terminate())
    socket.once('close', () => events.onClose())
  }

  hold(topic: LiveTopic): void {
    this.topics.set(topic, [])
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

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
  }

  /** Ends a reader that has not answered since the last beat. */
  beat(): void {
    if (!this.#answered) {
      this.#socket.terminate()
      return
    }
    this.#answered = false
    this.#socket.ping()
  }

  #write(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    if (this.#socket.bufferedAmount > liveLimits.bufferBytesMax) this.#cutOff()
    else {
      this.#gather()
      this.#socket.send(text)
    }
  }

  /** What is written in one turn, such as the values of a whole batch, goes out in one piece instead of one each. */
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
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#events.onCutOff()
    this.#socket.close(liveLimits.closeSlowReader, 'reader too slow: resume from the last time seen')
    // The reader may never read the reason: do not wait for it.
    setTimeout(() => this.#socket.terminate(), 1000).unref()
  }
}
