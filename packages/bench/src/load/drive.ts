import { setTimeout as delay } from 'node:timers/promises'
import { Histogram } from '../report/histogram.ts'
import type { Lane } from './lane.ts'
import { nextBody, type SimulatedDevice } from './uplinks.ts'

/** A lane and its devices; a device uses only one, so that its uplinks keep their order. */
export interface Route {
  readonly lane: Lane
  readonly devices: readonly SimulatedDevice[]
}

/** What a phase of load has seen. */
export interface Phase {
  /** from the start to the last acknowledgement, in seconds, at least as long as was sent */
  seconds: number
  sent: number
  acknowledged: number
  /** closed loop: from sending to the acknowledgement; open loop: from its due time */
  latency: Histogram
  /** acknowledgements per second */
  uplinksPerSecond: number
  /** open loop: uplinks that were due but not sent, because too many were already waiting */
  notSent: number
}

/** Merges several phases into one. */
export function together(phases: readonly Phase[]): Phase {
  const sum = (of: (phase: Phase) => number) => phases.reduce((total, phase) => total + of(phase), 0)
  const seconds = sum((phase) => phase.seconds)
  const latency = new Histogram()
  for (const phase of phases) latency.addAll(phase.latency)
  return {
    seconds,
    latency,
    sent: sum((phase) => phase.sent),
    notSent: sum((phase) => phase.notSent),
    acknowledged: sum((phase) => phase.acknowledged),
    uplinksPerSecond: seconds === 0 ? 0 : sum((phase) => phase.uplinksPerSecond * phase.seconds) / seconds,
  }
}

/** Maximum due uplinks waiting for a free slot on their connection; beyond it the open loop gives up. */
const overdueMax = 200_000
/** How long to wait for acknowledgements after the end. */
const patienceMs = 60_000

/** Counts the uplinks of a run: each has a unique number, and whether it was acknowledged. */
export class Ledger {
  readonly #acknowledged: Uint8Array
  readonly #due: Float64Array | null
  #next = 1
  #count = 0

  /**
   * @param capacity uplinks the run may send at most
   * @param options `keepTimes`: remember when each was due, 8 bytes an uplink
   */
  constructor(capacity: number, options: { keepTimes?: boolean } = {}) {
    this.#acknowledged = new Uint8Array(capacity + 1)
    this.#due = options.keepTimes ? new Float64Array(capacity + 1) : null
  }

  /** When an uplink was due, in ms of `performance.now()`; undefined when that was not kept or it was never sent. */
  dueAt(sequence: number): number | undefined {
    return this.#due?.[sequence] || undefined
  }

  get sent(): number {
    return this.#next - 1
  }

  get acknowledged(): number {
    return this.#count
  }

  /**
   * @param dueMs when it is due, in ms of `performance.now()`
   * @throws when the run has sent all it may
   */
  take(dueMs: number): number {
    if (this.#next >= this.#acknowledged.length) throw new Error('the run has sent all the uplinks it may')
    if (this.#due) this.#due[this.#next] = dueMs
    return this.#next++
  }

  get isFull(): boolean {
    return this.#next >= this.#acknowledged.length
  }

  acknowledge(sequence: number): void {
    this.#count++
    this.#acknowledged[sequence] = 1
  }

  isAcknowledged(sequence: number): boolean {
    return this.#acknowledged[sequence] === 1
  }
}

class Meter {
  readonly phase: Phase = {
    seconds: 0,
    sent: 0,
    acknowledged: 0,
    uplinksPerSecond: 0,
    notSent: 0,
    latency: new Histogram(),
  }
  readonly #ledger: Ledger
  readonly #start = performance.now()
  #last = this.#start

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** @param from the moment its latency counts from, in ms of `performance.now()` */
  async send(route: Route, turn: number, from: number): Promise<boolean> {
    const sequence = this.#ledger.take(from)
    const device = route.devices[turn % route.devices.length] as SimulatedDevice
    this.phase.sent++
    const stored = await route.lane.send({ device, body: nextBody(device, sequence, Date.now()) })
    if (!stored) return false
    const now = performance.now()
    this.#ledger.acknowledge(sequence)
    this.phase.acknowledged++
    this.#last = now
    this.phase.latency.add(now - from)
    return true
  }

  /** @param secondsMin how long was sent */
  finish(secondsMin: number): Phase {
    this.phase.seconds = Math.max(secondsMin, (this.#last - this.#start) / 1000)
    this.phase.uplinksPerSecond = this.phase.acknowledged / this.phase.seconds
    return this.phase
  }
}

/**
 * Every slot of every connection sends its next uplink as soon as the last one is acknowledged.
 * @param againMs delay of a slot's next uplink after a rejection; without it the slot ends
 */
export async function closedLoop(
  routes: readonly Route[],
  ledger: Ledger,
  seconds: number,
  signal: AbortSignal,
  againMs?: number,
): Promise<Phase> {
  const meter = new Meter(ledger)
  const start = performance.now()
  const end = start + seconds * 1000
  const places = routes.flatMap((route) => {
    let turn = 0
    return Array.from({ length: route.lane.window }, async () => {
      while (performance.now() < end && !signal.aborted && !ledger.isFull) {
        if (await meter.send(route, turn++, performance.now())) continue
        if (againMs === undefined) return
        await delay(againMs)
      }
    })
  })
  await patiently(Promise.all(places), seconds * 1000)
  signal.throwIfAborted()
  return meter.finish(seconds)
}

/**
 * Uplinks are due at a fixed rate, regardless of the platform; latency counts from the due time, so that a
 * stall counts for every uplink that waits behind it.
 */
export async function openLoop(
  routes: readonly Route[],
  ledger: Ledger,
  options: { seconds: number; rate: number },
  signal: AbortSignal,
): Promise<Phase> {
  const meter = new Meter(ledger)
  const total = options.seconds * options.rate
  const queues = routes.map((route) => ({ route, due: [] as number[], head: 0, busy: 0, turn: 0 }))
  const running = new Set<Promise<void>>()
  const start = performance.now()
  const end = start + options.seconds * 1000
  let overdue = 0

  const serve = async (queue: (typeof queues)[number]): Promise<void> => {
    queue.busy++
    while (queue.head < queue.due.length && !signal.aborted && !ledger.isFull) {
      const from = queue.due[queue.head++] as number
      overdue--
      if (queue.head > 1000) {
        queue.due.splice(0, queue.head)
        queue.head = 0
      }
      if (!(await meter.send(queue.route, queue.turn++, from))) break
    }
    queue.busy--
  }
  let issued = 0
  for (; issued < total && overdue < overdueMax && !signal.aborted; await delay(1)) {
    const dueNow = Math.min(total, Math.floor(((performance.now() - start) / 1000) * options.rate) + 1)
    for (; issued < dueNow; issued++) {
      const queue = queues[issued % queues.length] as (typeof queues)[number]
      queue.due.push(start + (issued / options.rate) * 1000)
      overdue++
      if (queue.busy >= queue.route.lane.window) continue
      const served = serve(queue).finally(() => running.delete(served))
      running.add(served)
    }
  }
  while (running.size > 0 && performance.now() < end + patienceMs && !signal.aborted)
    await patiently(Promise.all(running), 0)
  signal.throwIfAborted()
  meter.phase.notSent = total - meter.phase.sent
  return meter.finish(options.seconds)
}

/** Every device sends once, so that its states exist. */
export async function greet(routes: readonly Route[], ledger: Ledger, signal: AbortSignal): Promise<Phase> {
  const meter = new Meter(ledger)
  await Promise.all(
    routes.map(async (route) => {
      for (let turn = 0; turn < route.devices.length && !signal.aborted; turn++)
        await meter.send(route, turn, performance.now())
    }),
  )
  signal.throwIfAborted()
  return meter.finish(0)
}

/** Waits with a timeout: what is not acknowledged by then counts as not acknowledged. */
async function patiently(work: Promise<unknown>, expectedMs: number): Promise<void> {
  const patience = new AbortController()
  const giveUp = delay(expectedMs + patienceMs, undefined, { signal: patience.signal }).catch(() => undefined)
  await Promise.race([work, giveUp])
  patience.abort()
}
