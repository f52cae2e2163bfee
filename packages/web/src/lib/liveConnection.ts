import {
  type LiveClientMessage,
  type LiveServerMessage,
  type LiveTopic,
  liveLimits,
} from '@leitstand/contract/live'
import { createStore, type Store } from './store.ts'

export type LiveStatus = 'live' | 'reconnecting' | 'offline'
export type LiveHandler = (message: LiveServerMessage) => void

/** How long nothing was heard. A busy server answers late, so a connection that hangs is not replaced at once. */
export interface Silence {
  checkEveryMs: number
  /** then the server is asked whether it is there */
  askMs: number
  /** then the status is no longer `live` */
  hungMs: number
  /** then the socket is replaced; also while it connects */
  lostMs: number
}
/** Users see within five seconds that a connection hangs. */
const watched: Silence = { checkEveryMs: 1000, askMs: 1500, hungMs: 3500, lostMs: 10_000 }
/** Nobody looks at a tab in the background. */
const unwatched: Silence = { checkEveryMs: 1000, askMs: 25_000, hungMs: 35_000, lostMs: 45_000 }
/** Data read this long ago is shown without being read again, see `staleTime` in `api.ts`. */
const keptMs = 10_000
const retryFirstMs = 500
const retryMaxMs = 20_000

interface Followed {
  handlers: Set<LiveHandler>
  /** time of the last message; undefined before the first */
  seenMs: number | undefined
  /** when it was first asked for, in ms since the page was opened */
  wantedMs: number
}

/** Dependencies of the connection; the page passes the real ones, tests their own. */
export interface LiveSurroundings {
  url: string
  token(): string | null
  open(url: string): WebSocket
  /** The server rejected the session. */
  onUnauthorised(): void
  random(): number
  /** Whether the tab is in the foreground. */
  isWatched(): boolean
  /** for tests */
  silence?: Silence
}

/**
 * The one live connection of a tab.
 *
 * States: `offline` (stopped, or no network) → `reconnecting` (socket opening, hanging or waiting to retry) → `live`
 * (welcomed). After a loss every topic is subscribed again from the time of the last message received, so
 * nothing in between is missed; if the server cannot replay a gap, it sends `resync`. The first time it is subscribed from
 * before the data was read that is shown with it.
 */
export class LiveConnection {
  readonly status: Store<LiveStatus> = createStore<LiveStatus>('offline')
  readonly #topics = new Map<LiveTopic, Followed>()
  readonly #around: LiveSurroundings
  #socket: WebSocket | undefined
  #wanted = false
  #welcomed = false
  #attempt = 0
  #retry: ReturnType<typeof setTimeout> | undefined
  #check: ReturnType<typeof setInterval> | undefined
  #checkedMs = 0
  #heardMs = 0
  #asked = false
  /** as far as the browser knows */
  #hasNetwork = true

  constructor(around: LiveSurroundings) {
    this.#around = around
  }

  /** Opens the connection and keeps it open until `stop`. */
  start(): void {
    if (this.#wanted) return
    this.#wanted = true
    this.#attempt = 0
    this.#connect()
  }

  /** Closes the connection; topics are kept for a later `start`. */
  stop(): void {
    this.#wanted = false
    this.#drop()
    this.status.set('offline')
  }

  /** When the server was last heard; null: never. */
  get lastContactMs(): number | null {
    return this.#heardMs === 0 ? null : this.#heardMs
  }

  /** The browser reports that there is no network. It may be wrong, so the connection is tried again. */
  loseNetwork(): void {
    if (!this.#wanted) return
    this.#hasNetwork = false
    this.#drop()
    this.#retryLater()
  }

  /** Retries immediately, e.g. when the network is back. */
  retryNow(): void {
    this.#hasNetwork = true
    if (!this.#wanted || this.#welcomed) return
    this.#drop()
    this.#connect()
  }

  /**
   * Subscribes to a topic. Only the first subscriber of a topic subscribes at the server, and the last one
   * unsubscribes.
   * @returns the function to unsubscribe
   */
  subscribe(topic: LiveTopic, handler: LiveHandler): () => void {
    let entry = this.#topics.get(topic)
    if (!entry) {
      if (this.#topics.size >= liveLimits.topicsMax)
        throw new Error(`More than ${liveLimits.topicsMax} live topics`)
      entry = { handlers: new Set(), seenMs: undefined, wantedMs: performance.now() }
      this.#topics.set(topic, entry)
      if (this.#welcomed) this.#send(subscriptionTo(topic, entry))
    }
    const { handlers } = entry
    handlers.add(handler)
    return () => {
      handlers.delete(handler)
      if (handlers.size > 0 || this.#topics.get(topic)?.handlers !== handlers) return
      this.#topics.delete(topic)
      if (this.#welcomed) this.#send({ kind: 'unsubscribe', topic })
    }
  }

  #connect(): void {
    this.#setLost()
    const socket = this.#around.open(this.#around.url)
    this.#socket = socket
    const silence = () => this.#around.silence ?? (this.#around.isWatched() ? watched : unwatched)
    const openedMs = Date.now()
    this.#checkedMs = openedMs
    this.#check = setInterval(() => this.#checkSilence(openedMs, silence()), silence().checkEveryMs)
    socket.addEventListener('open', () => this.#send({ kind: 'hello', token: this.#around.token() }))
    socket.addEventListener('message', (event) => {
      if (this.#socket === socket) this.#receive(JSON.parse(String(event.data)) as LiveServerMessage)
    })
    socket.addEventListener('close', (event) => {
      if (this.#socket !== socket) return
      this.#drop()
      if (event.code === liveLimits.closeUnauthorised) this.#around.onUnauthorised()
      if (this.#wanted) this.#retryLater()
    })
  }

  #setLost(): void {
    this.status.set(this.#hasNetwork ? 'reconnecting' : 'offline')
  }

  #retryLater(): void {
    this.#setLost()
    const delayMs = Math.min(retryMaxMs, retryFirstMs * 2 ** this.#attempt)
    this.#attempt += 1
    // Half fixed, half random, so that a thousand tabs do not reconnect at the same moment.
    this.#retry = setTimeout(() => this.#connect(), delayMs * (0.5 + this.#around.random() / 2))
  }

  #receive(message: LiveServerMessage): void {
    this.#heardMs = Date.now()
    this.#asked = false
    if (this.#welcomed) this.status.set('live')
    if (message.kind === 'pong') return
    if (message.kind === 'welcome') {
      this.#hasNetwork = true
      this.#welcomed = true
      this.#attempt = 0
      this.status.set('live')
      for (const [topic, entry] of this.#topics) this.#send(subscriptionTo(topic, entry))
      return
    }
    if (message.topic === null) return
    const entry = this.#topics.get(message.topic)
    if (!entry) return
    const timeMs = messageTimeMs(message)
    if (timeMs !== undefined) entry.seenMs = Math.max(entry.seenMs ?? 0, timeMs)
    for (const handler of entry.handlers) handler(message)
  }

  /** A dead socket (sleeping laptop, failed proxy) never closes by itself. */
  #checkSilence(openedMs: number, { checkEveryMs, askMs, hungMs, lostMs }: Silence): void {
    const nowMs = Date.now()
    // After a pause of the page, what it did not hear proves nothing.
    const wasPaused = nowMs - this.#checkedMs > 3 * checkEveryMs
    this.#checkedMs = nowMs
    const silentMs = wasPaused ? askMs : nowMs - Math.max(openedMs, this.#heardMs)
    if (silentMs >= lostMs) {
      this.#drop()
      this.#retryLater()
      return
    }
    if (silentMs >= hungMs) this.status.set('reconnecting')
    if (silentMs < askMs || (this.#asked && !wasPaused) || !this.#welcomed) return
    this.#asked = true
    if (wasPaused) this.#heardMs = nowMs
    this.#send({ kind: 'ping' })
  }

  #send(message: LiveClientMessage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message))
  }

  #drop(): void {
    clearTimeout(this.#retry)
    clearInterval(this.#check)
    this.#asked = false
    const socket = this.#socket
    this.#socket = undefined
    this.#welcomed = false
    socket?.close()
  }
}

function subscriptionTo(topic: LiveTopic, { seenMs, wantedMs }: Followed): LiveClientMessage {
  if (seenMs !== undefined) return { kind: 'subscribe', topic, sinceMs: seenMs }
  const nowMs = performance.now()
  // Nothing was read before the page was opened.
  return { kind: 'subscribe', topic, agoMs: Math.min(nowMs, nowMs - wantedMs + keptMs) }
}

function messageTimeMs(message: LiveServerMessage): number | undefined {
  const timeMs =
    message.kind === 'values'
      ? message.values.reduce((latest, value) => Math.max(latest, value.timeMs), 0)
      : 'timeMs' in message
        ? message.timeMs
        : undefined
  // A device's clock may be ahead; a cursor in the future would skip earlier messages.
  return timeMs === undefined ? undefined : Math.min(timeMs, Date.now())
}
