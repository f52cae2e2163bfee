import type { FaultParams, PacketFault } from '@leitstand/contract/errors'
import type { ParserOf } from '@leitstand/contract/parsers'
import * as z from 'zod'
import type { Clock } from '../../../../platform/clock.ts'
import { AppError, messageOf } from '../../../../platform/errors.ts'
import { AnswerTooLarge, guardedFetch } from '../../../../platform/net/guardedFetch.ts'
import type { Outgoing } from '../../../../platform/net/outgoing.ts'
import type { Secrets } from '../../../../platform/secrets.ts'
import { storableJson } from '../../../../platform/storable.ts'
import type { RunnableDriver } from '../../run.ts'
import type { RemoteAnswer, RemotePacket, RemoteParser, RunOptions } from '../types.ts'
import { authorization } from './bearer.ts'
import { afterCall, type BreakerState, closedBreaker, mayCall } from './breaker.ts'

export const urlLimits = {
  /** maximum packets per request, and their size */
  packetsPerRequest: 100,
  charsPerRequest: 262_144,
  /** concurrent requests to one parser, and to all parsers of an account */
  requestsPerDriver: 4,
  requestsPerAccount: 8,
  /** concurrent requests of trials in the editor */
  trialsMax: 20,
  /** live packets that may wait for one parser, and for all */
  waitingPerDriver: 500,
  waitingMax: 5_000,
  /** all attempts of a request together; the last one may end half a second later */
  totalMs: 5_000,
  retryPauseMs: 100,
  answerBytesMax: 2_097_152,
  messageCharsMax: 500,
} as const

/** Statuses of temporary failures. */
const passingStatuses = new Set([429, 502, 503, 504])

/** Response of a parser; see docs/drivers.md. */
const Answer = z.object({
  results: z.array(
    z.union([
      z.object({ error: z.string() }),
      z.object({ data: z.unknown(), warnings: z.array(z.string()).optional() }),
    ]),
  ),
})

interface Waiting {
  packet: RemotePacket
  answered(answer: RemoteAnswer): void
}

/** The queued packets of one parser. */
interface Lane {
  driver: RunnableDriver<ParserOf<'url'>>
  waiting: Waiting[]
  underWay: number
  breaker: BreakerState
  isTrial: boolean
}

/** Dependencies of HTTP parsers. */
export interface UrlContext {
  outgoing: Pick<Outgoing, 'addressOf'>
  clock: Clock
  secrets: Secrets
}

/** How a request ended: an answer for each packet, or the same failure for all. */
type Reply = RemoteAnswer[] | (PacketFault & { mayRetry: boolean })

/**
 * HTTP parsers. Packets of a driver are collected while its requests are in progress and sent together. A
 * failing parser rests for a while; packets that wait too long or exceed the limits get an error, so that a
 * slow parser does not block others.
 */
export class UrlParsers implements RemoteParser<ParserOf<'url'>>, AsyncDisposable {
  readonly #outgoing: Pick<Outgoing, 'addressOf'>
  readonly #clock: Clock
  readonly #secrets: Secrets
  readonly #lanes = new Map<string, Lane>()
  readonly #perAccount = new Map<number | null, number>()
  readonly #stopped = new AbortController()
  readonly #requests = new Set<Promise<void>>()
  #waiting = 0
  /** trial requests in progress */
  #trials = 0

  constructor({ outgoing, clock, secrets }: UrlContext) {
    this.#outgoing = outgoing
    this.#clock = clock
    this.#secrets = secrets
  }

  async run(
    driver: RunnableDriver<ParserOf<'url'>>,
    packets: readonly RemotePacket[],
    { patient = false }: RunOptions,
  ): Promise<RemoteAnswer[]> {
    const lane = this.#laneOf(driver, patient)
    const answers = packets.map(
      (packet) =>
        new Promise<RemoteAnswer>((answered) => {
          const isTooMuch = lane.isTrial
            ? this.#trials >= urlLimits.trialsMax
            : lane.waiting.length >= urlLimits.waitingPerDriver || this.#waiting >= urlLimits.waitingMax
          if (this.#stopped.signal.aborted || (isTooMuch && !patient))
            answered(failure({ code: 'PARSER_URL_BUSY', message: busy }))
          else {
            lane.waiting.push({ packet, answered })
            this.#waiting++
          }
        }),
    )
    this.#pump(lane)
    return Promise.all(answers)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort(new Error('the server is stopping'))
    for (const lane of this.#lanes.values())
      this.#refuse(lane, { code: 'PARSER_URL_BUSY', message: 'The server is stopping' })
    await Promise.all(this.#requests)
  }

  #laneOf(driver: RunnableDriver<ParserOf<'url'>>, patient: boolean): Lane {
    // Trials have no version number; their failures do not affect other calls.
    const isTrial = driver.number === 0
    const key = `${driver.driverId} ${driver.number} ${patient}`
    const known = isTrial ? undefined : this.#lanes.get(key)
    if (known !== undefined) {
      known.driver = driver
      return known
    }
    const lane: Lane = { driver, waiting: [], underWay: 0, breaker: closedBreaker, isTrial }
    if (!isTrial) this.#lanes.set(key, lane)
    return lane
  }

  #pump(lane: Lane): void {
    const { accountId } = lane.driver
    while (lane.waiting.length > 0) {
      const nowMs = this.#clock.now().getTime()
      if (!mayCall(lane.breaker, lane.underWay, nowMs)) {
        if (lane.breaker.restsUntilMs !== null && nowMs < lane.breaker.restsUntilMs) {
          const until = new Date(lane.breaker.restsUntilMs).toISOString()
          const message = `The parser failed repeatedly and rests until ${until}`
          this.#refuse(lane, { code: 'PARSER_URL_RESTING', message, params: { until } })
        }
        return
      }
      const ofAccount = this.#perAccount.get(accountId) ?? 0
      const isFull = lane.underWay >= urlLimits.requestsPerDriver || ofAccount >= urlLimits.requestsPerAccount
      if (isFull && !lane.isTrial) return
      const batch = this.#take(lane)
      lane.underWay++
      this.#count(lane, 1)
      const request = this.#send(lane, batch).finally(() => {
        this.#requests.delete(request)
        lane.underWay--
        this.#count(lane, -1)
        this.#pump(lane)
        for (const other of this.#lanes.values()) {
          if (other.waiting.length > 0 && other.driver.accountId === accountId) this.#pump(other)
        }
        this.#tidy()
      })
      this.#requests.add(request)
    }
  }

  /** Counts requests in progress: trials separately from live packets of an account. */
  #count({ isTrial, driver: { accountId } }: Lane, by: 1 | -1): void {
    if (isTrial) {
      this.#trials += by
      return
    }
    const count = (this.#perAccount.get(accountId) ?? 0) + by
    if (count > 0) this.#perAccount.set(accountId, count)
    else this.#perAccount.delete(accountId)
  }

  #take({ waiting }: Lane): Waiting[] {
    let chars = 0
    let count = 0
    for (const { packet } of waiting) {
      chars += packet.payload.length + packet.meta.length
      if (count > 0 && (count >= urlLimits.packetsPerRequest || chars > urlLimits.charsPerRequest)) break
      count++
    }
    this.#waiting -= count
    return waiting.splice(0, count)
  }

  #refuse(lane: Lane, fault: PacketFault): void {
    const refused = lane.waiting.splice(0)
    this.#waiting -= refused.length
    for (const { answered } of refused) answered(failure(fault))
  }

  /** Removes lanes without state. */
  #tidy(): void {
    for (const [key, { waiting, underWay, breaker }] of this.#lanes) {
      if (waiting.length === 0 && underWay === 0 && breaker.failures === 0) this.#lanes.delete(key)
    }
  }

  async #send(lane: Lane, batch: readonly Waiting[]): Promise<void> {
    const started = performance.now()
    const packets = batch.map(({ packet }) => packet)
    let reply = await this.#ask(lane.driver, packets, started)
    for (
      let retry = 0;
      retry < lane.driver.parser.retries && !Array.isArray(reply) && reply.mayRetry;
      retry++
    ) {
      await new Promise((resolve) => setTimeout(resolve, urlLimits.retryPauseMs * 2 ** retry))
      if (performance.now() - started >= urlLimits.totalMs || this.#stopped.signal.aborted) break
      reply = await this.#ask(lane.driver, packets, started)
    }
    const durationUs = Math.round(((performance.now() - started) * 1000) / packets.length)
    lane.breaker = afterCall(lane.breaker, Array.isArray(reply), this.#clock.now().getTime())
    for (const [index, { answered }] of batch.entries()) {
      if (!Array.isArray(reply)) answered({ ...failure(reply), durationUs })
      else answered({ ...(reply[index] as RemoteAnswer), durationUs })
    }
  }

  async #ask(
    driver: RunnableDriver<ParserOf<'url'>>,
    packets: readonly RemotePacket[],
    started: number,
  ): Promise<Reply> {
    const { parser } = driver
    const left = Math.max(1, Math.ceil(urlLimits.totalMs - (performance.now() - started)))
    const bounds = { timeoutMs: Math.min(parser.timeoutMs, left), bytesMax: urlLimits.answerBytesMax }
    try {
      const asked = guardedFetch(this.#outgoing, bounds)(parser.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...authorization(driver, this.#secrets),
        },
        body: bodyOf(packets),
        signal: this.#stopped.signal,
      })
      const response = await within(asked, bounds.timeoutMs + nameMs)
      if (response.status !== 200) {
        const message = `The parser answered with status ${response.status}`
        const params = { kind: 'status', status: response.status }
        return { code: 'PARSER_URL_FAILED', message, params, mayRetry: passingStatuses.has(response.status) }
      }
      return readAnswer(await response.text(), packets.length)
    } catch (error) {
      return failureOf(error, bounds.timeoutMs)
    }
  }
}

/** What looking up a name may take, which the guard's time does not cover. */
const nameMs = 500

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('too late'), { name: 'TimeoutError' })), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

const busy = 'Too many packets wait for the parser'

function failure({ code, message, params }: PacketFault): Extract<RemoteAnswer, { ok: false }> {
  return { ok: false, error: { code, message, ...(params ? { params } : {}) }, durationUs: 0 }
}

/** `{"packets":[…]}`, put together from texts that are JSON already. */
function bodyOf(packets: readonly RemotePacket[]): string {
  const texts = packets.map(({ time, fPort, encoding, payload, meta }) => {
    const content = encoding === 'hex' ? `"bytes":"${payload}"` : `"payload":${payload}`
    return `{"time":"${time.toISOString()}","fPort":${fPort},"meta":${meta},${content}}`
  })
  return `{"packets":[${texts.join(',')}]}`
}

const answerForm = '{"results": [{"data": …} or {"error": "…"}]}'

function readAnswer(text: string, count: number): Reply {
  const wrong = (message: string, params: FaultParams): Reply => ({
    code: 'PARSER_URL_ANSWER_INVALID',
    message,
    params,
    mayRetry: false,
  })
  let json: unknown
  try {
    json = JSON.parse(storableJson(text))
  } catch {
    return wrong('The answer is not JSON', { kind: 'json' })
  }
  const read = Answer.safeParse(json)
  if (!read.success) return wrong(`The answer is not ${answerForm}`, { kind: 'form', form: answerForm })
  const { results } = read.data
  if (results.length !== count)
    return wrong(`The answer has ${results.length} results for ${count} packets`, {
      kind: 'count',
      results: results.length,
      packets: count,
    })
  return results.map((result): RemoteAnswer => {
    if ('error' in result) {
      const message = result.error.slice(0, urlLimits.messageCharsMax)
      return failure({ code: 'PARSER_URL_REFUSED', message })
    }
    const { data, warnings } = result
    return { ok: true, value: data, durationUs: 0, ...(warnings === undefined ? {} : { warnings }) }
  })
}

function failureOf(error: unknown, timeoutMs: number): Reply {
  if (error instanceof AppError) {
    return { code: error.code, message: error.message, mayRetry: error.code === 'OUTGOING_HOST_UNKNOWN' }
  }
  if (error instanceof AnswerTooLarge)
    return { code: 'PARSER_URL_ANSWER_INVALID', message: error.message, mayRetry: false }
  if (error instanceof Error && error.name === 'TimeoutError') {
    const message = `No answer within ${timeoutMs} ms`
    return { code: 'PARSER_URL_TIMEOUT', message, params: { milliseconds: timeoutMs }, mayRetry: true }
  }
  const { code } = error as NodeJS.ErrnoException
  return { code: 'PARSER_URL_FAILED', message: code ?? messageOf(error), mayRetry: true }
}
