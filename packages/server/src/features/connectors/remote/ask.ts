import type { JsonValue } from '@leitstand/contract/common'
import { AppError, messageOf } from '../../../platform/errors.ts'
import type { GuardedFetch } from '../../../platform/net/guardedFetch.ts'
import { AnswerTooLarge } from '../../../platform/net/guardedFetch.ts'
import { storableJson, storableText } from '../../../platform/storable.ts'
import { asRecord, asText, parseJson } from '../presets/read.ts'

/** A response: successful, or with one of the accepted statuses. */
export interface RemoteAnswer {
  readonly status: number
  readonly json: JsonValue | undefined
  /** header `X-Total-Count` */
  readonly totalCount: number | undefined
}

export interface Question {
  readonly method?: 'GET' | 'DELETE'
  readonly query?: Readonly<Record<string, string | number>>
  /** statuses other than success that count as a response */
  readonly accept?: readonly number[]
  /** another host of the same system, HTTPS; default: the address in the settings */
  readonly host?: string
}

/**
 * Sends a request to a network server.
 * @param path encoded, starting with a slash
 * @throws AppError REMOTE_UNREACHABLE, REMOTE_REFUSED with `status`, REMOTE_ANSWER_INVALID, all with
 * `detail`; OUTGOING_HOST_UNKNOWN, OUTGOING_ADDRESS_FORBIDDEN
 */
export type Ask = (path: string, question?: Question) => Promise<RemoteAnswer>

/** Maximum characters kept of a server's error response. */
const detailCharsMax = 300

/** Statuses that ask for a retry. */
const busyStatus: ReadonlySet<number> = new Set([408, 425, 429])

export function asker(
  fetch: GuardedFetch,
  { url, headers }: { url: string; headers: Record<string, string> },
  signal: AbortSignal,
): Ask {
  return async (path, { method = 'GET', query = {}, accept = [], host } = {}) => {
    const base = host === undefined ? url.replace(/\/+$/, '') : `https://${host}`
    const parameters = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    )
    const address = `${base}${path}${parameters.size === 0 ? '' : `?${parameters}`}`
    const { answer, text } = await answered(() => fetch(address, { method, headers, signal }))
    const json = parseJson(storableJson(text))
    if (!answer.ok && !accept.includes(answer.status)) throw refusal(answer.status, json, text)
    // Some servers signal success with an empty body.
    if (answer.ok && json === undefined && text.trim() !== '')
      throw new AppError('REMOTE_ANSWER_INVALID', { detail: shortened(text) })
    const total = Number(answer.headers.get('x-total-count') ?? Number.NaN)
    return { status: answer.status, json, totalCount: Number.isInteger(total) ? total : undefined }
  }
}

async function answered(send: () => Promise<Response>): Promise<{ answer: Response; text: string }> {
  try {
    const answer = await send()
    return { answer, text: await answer.text() }
  } catch (error) {
    if (error instanceof AppError) throw error
    const detail = shortened(messageOf(error))
    throw new AppError(
      error instanceof AnswerTooLarge ? 'REMOTE_ANSWER_INVALID' : 'REMOTE_UNREACHABLE',
      { detail },
      detail,
    )
  }
}

/** An error from a refusal, with the server's own message if it sent one. */
function refusal(status: number, json: JsonValue | undefined, text: string): AppError {
  const said = asText(asRecord(json)?.message) ?? text
  const detail = shortened(`HTTP ${status} ${said}`)
  const isAway = status >= 500 || busyStatus.has(status)
  return new AppError(isAway ? 'REMOTE_UNREACHABLE' : 'REMOTE_REFUSED', { status, detail }, detail)
}

function shortened(text: string): string {
  return storableText(text).trim().slice(0, detailCharsMax).trim()
}
