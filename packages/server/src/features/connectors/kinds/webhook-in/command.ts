import type { ConnectorSettings } from '@leitstand/contract/connectors/kinds/index'
import type { Context } from '../../../../platform/context.ts'
import { messageOf } from '../../../../platform/errors.ts'
import { guardedFetch } from '../../../../platform/net/guardedFetch.ts'
import { never } from '../../downlinks/types.ts'
import { busyStatus, wasNotSent } from '../../outgoing/answers.ts'
import type { Command } from '../types.ts'

const answerLimits = { timeoutMs: 10_000, bytesMax: 64 * 1024 } as const
/** Maximum characters kept of a server's error response. */
const detailCharsMax = 300

/** HTTP statuses after which the downlink may still have been accepted. */
const brokenStatus: ReadonlySet<number> = new Set([500, 502, 504])

/** Posts downlinks to the HTTP API of the network server. */
export function postCommand({
  outgoing,
}: Pick<Context, 'outgoing'>): Command<ConnectorSettings['webhook-in']> {
  const fetch = guardedFetch(outgoing, answerLimits)
  return {
    over: 'http',
    send: async ({ settings: { downlinkUrl, downlinkKey } }, way, downlink, signal) => {
      const request = way.http(downlink, downlinkUrl, downlinkKey)
      if (request === null) return never('noAddress')
      const { url, headers, body } = request
      try {
        const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal })
        const text = await answer.text()
        if (answer.ok) return { outcome: 'taken', name: way.readName(parsed(text)) }
        const detail = `HTTP ${answer.status} ${text.slice(0, detailCharsMax)}`.trim()
        if (busyStatus.has(answer.status)) return { outcome: 'again', reason: 'overloaded', detail }
        if (brokenStatus.has(answer.status)) return { outcome: 'unknown', reason: 'noAnswer', detail }
        return { outcome: 'never', reason: 'refused', detail }
      } catch (error) {
        const detail = messageOf(error).slice(0, detailCharsMax)
        if (wasNotSent(error)) return { outcome: 'again', reason: 'unreachable', detail }
        return { outcome: 'unknown', reason: 'noAnswer', detail }
      }
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // The Things Stack returns an empty body; callers look for the fields they need
  }
}
