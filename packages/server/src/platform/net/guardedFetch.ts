import * as http from 'node:http'
import * as https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../errors.ts'
import { Outgoing } from './outgoing.ts'

export interface GuardedRequest {
  method?: string
  headers?: Record<string, string>
  /** a stream needs its `content-length` among the headers, or is sent in chunks */
  body?: string | Uint8Array | AsyncIterable<Uint8Array>
  /** aborts the request before its timeout */
  signal?: AbortSignal
}

export interface GuardLimits {
  /** for the whole request, including the body */
  timeoutMs: number
  /** maximum size of the response body */
  bytesMax: number
}

const usualLimits: GuardLimits = { timeoutMs: 10_000, bytesMax: 1_048_576 }

export type GuardedFetch = (url: string, request?: GuardedRequest) => Promise<Response>

const publicInternet = new Outgoing([])

/**
 * Like `fetch`, for addresses that users enter: connects only where `outgoing` allows, uses `http:` only
 * within the operator's own networks, returns redirects instead of following them, and limits time and size.
 *
 * The promise rejects with AppError OUTGOING_HOST_UNKNOWN or OUTGOING_ADDRESS_FORBIDDEN, with AnswerTooLarge,
 * with a TimeoutError or with the error of the socket.
 */
export function guardedFetch(
  outgoing: Pick<Outgoing, 'addressOf'>,
  { timeoutMs, bytesMax }: GuardLimits = usualLimits,
): GuardedFetch {
  return async (text, { method = 'GET', headers = {}, body, signal } = {}) => {
    const url = new URL(text)
    const isPlain = url.protocol === 'http:'
    if (!isPlain && url.protocol !== 'https:')
      throw new AppError('OUTGOING_ADDRESS_FORBIDDEN', { host: url.protocol })
    const address = await outgoing.addressOf(url.hostname)
    // Unencrypted requests stay within the operator's own networks.
    if (isPlain && publicInternet.allows(address))
      throw new AppError('OUTGOING_ADDRESS_FORBIDDEN', { host: url.host })
    const end = AbortSignal.timeout(timeoutMs)
    const until = signal ? AbortSignal.any([signal, end]) : end
    const request = (isPlain ? http : https).request(url, {
      method,
      headers,
      agent: false,
      signal: until,
      // Use the address that was checked, whatever the name resolves to now.
      lookup: toAddress(address),
    })
    try {
      const answer = answerOf(request, bytesMax)
      // A server may refuse before it has read everything.
      await Promise.race([answer, sendBody(request, body)])
      return await answer
    } catch (error) {
      request.destroy()
      throw until.aborted ? until.reason : error
    }
  }
}

export class AnswerTooLarge extends Error {
  constructor(bytesMax: number) {
    super(`The answer is larger than ${bytesMax} bytes`)
    this.name = 'AnswerTooLarge'
  }
}

function toAddress(address: string): LookupFunction {
  const family = isIP(address)
  return (_hostname, options, callback) =>
    options.all ? callback(null, [{ address, family }]) : callback(null, address, family)
}

async function sendBody(request: http.ClientRequest, body: GuardedRequest['body']): Promise<void> {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    request.end(body)
    return
  }
  // A server that refuses says so before it is sent a large body, if it is asked (RFC 9110, 10.1.1).
  request.setHeader('expect', '100-continue')
  request.flushHeaders()
  const isWanted = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(resolve, continueMs, true)
    request.once('continue', () => resolve(true)).once('response', () => resolve(false))
    request.once('close', () => resolve(false))
    request.once('close', () => clearTimeout(timer))
  })
  if (isWanted) await pipeline(Readable.from(body, { objectMode: false }), request)
}

/** Some servers know nothing of being asked, and wait for the body. */
const continueMs = 1_000

async function answerOf(request: http.ClientRequest, bytesMax: number): Promise<Response> {
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    // The listener stays: errors after the response has started are reported by reading its body.
    request.on('error', reject)
  })
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new AnswerTooLarge(bytesMax)
    chunks.push(chunk)
  }
  const status = answer.statusCode ?? 502
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(answer.headersDistinct))
    for (const value of values) headers.append(name, value)
  const hasNoBody = status === 204 || status === 205 || status === 304
  return new Response(hasNoBody ? null : Buffer.concat(chunks), { status, headers })
}
