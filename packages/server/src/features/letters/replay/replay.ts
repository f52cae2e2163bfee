import type { StandardPacket } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import type { ErrorCode } from '@leitstand/contract/errors'
import { asRecord, type ForeignMessage, type KeyedPacket, type Translation } from '../../connectors/index.ts'
import {
  type Identity,
  identityOf,
  type MessageOrigin,
  type Outcome,
  type Rejection,
} from '../../ingest/index.ts'
import type { FailedAgain, LetterPart, LetterRow } from '../store.ts'

/** Outcome of a letter. `count` is the counter to increase in the job's result. */
export type Replayed =
  | { letter: LetterRow; count: 'stored' | 'duplicates' | 'dropped'; withErrors: boolean }
  | { letter: LetterRow; count: 'failed'; failure: FailedAgain }
  /** some packets of the letter were unusable; each of these becomes a letter of its own */
  | { letter: LetterRow; count: 'partly' | 'failed'; parts: LetterPart[]; withErrors: boolean }

/**
 * The stage at which a letter starts again. Letters of older versions do not record it; a standard packet is
 * recognised by its keys.
 */
export function stageOf({ meta }: LetterRow, json: JsonValue | undefined): MessageOrigin['stage'] {
  if (meta.stage !== undefined) return meta.stage
  const record = asRecord(json)
  return record !== undefined && ('identifier' in record || 'routing' in record) ? 'packet' : 'message'
}

/**
 * The packets of a letter with their deduplication keys; a packet without one gets a key derived from the
 * letter.
 */
export function keyedFor(
  letter: LetterRow,
  packets: readonly KeyedPacket[],
): { packet: StandardPacket; dedupKey: string | undefined; identity: Identity; index: number }[] {
  return packets.map(({ packet, dedupKey: own }, index) => {
    const given = own ?? (packets.length === 1 ? letter.meta.dedupKey : undefined)
    const identity = identityOf(packet, letter.receivedAt, given)
    // Without a key, a crash between storing the packet and deleting its letter would store it twice.
    const dedupKey = given ?? (identity.recognised ? undefined : `letter ${letter.id} ${index}`)
    return { packet, dedupKey, identity, index }
  })
}

/** A letter that the connector's preset or template still refuses, or that yields no packet. */
export function withoutPackets(
  letter: LetterRow,
  message: ForeignMessage,
  translation: Translation,
): Replayed {
  const [refused] = translation.refused
  if (refused === undefined) return { letter, count: 'dropped', withErrors: false }
  const stillNoJson = letter.reason === 'BODY_NOT_JSON' && message.json === undefined
  const code = stillNoJson && refused.code === 'PACKET_INVALID' ? 'BODY_NOT_JSON' : refused.code
  return failedAgain(letter, refused.identifier, code, refused.message)
}

/**
 * Derives the outcome of a letter from the outcomes of its packets.
 * @param known packets stored earlier, before the period that the pipeline remembers
 */
export function judge(
  letter: LetterRow,
  translation: Translation,
  preset: MessageOrigin['preset'],
  outcome: Pick<Outcome, 'accepted' | 'duplicates' | 'rejected' | 'decoded'>,
  known: number,
): Replayed {
  const withErrors = outcome.decoded.some(({ error }) => error !== null)
  const rejected = firstByIndex(outcome.rejected)
  const { packets, refused } = translation
  if (rejected.length === 0 && refused.length === 0) {
    const isNew = outcome.accepted > 0
    return { letter, count: isNew || known + outcome.duplicates === 0 ? 'stored' : 'duplicates', withErrors }
  }
  const [only] = rejected
  if (packets.length === 1 && refused.length === 0 && only !== undefined)
    return failedAgain(letter, only.identifier, only.code, only.message)
  const parts = [
    ...rejected.map(({ identifier, code, message, index }): LetterPart => {
      const { packet, dedupKey } = packets[index] as KeyedPacket
      const meta = { stage: 'packet' as const, preset, ...(dedupKey === undefined ? {} : { dedupKey }) }
      return {
        letterId: letter.id,
        identifier,
        reason: code,
        detail: message,
        body: JSON.stringify(packet),
        meta,
      }
    }),
    ...refused.map(({ identifier, code, message, raw }): LetterPart => {
      const meta = { stage: 'packet' as const, preset }
      return { letterId: letter.id, identifier, reason: code, detail: message, body: raw, meta }
    }),
  ]
  const isPartly = outcome.accepted + outcome.duplicates + known > 0
  return { letter, count: isPartly ? 'partly' : 'failed', parts, withErrors }
}

function failedAgain(
  letter: LetterRow,
  identifier: string | null,
  reason: ErrorCode,
  detail: string,
): Replayed {
  return { letter, count: 'failed', failure: { id: letter.id, identifier, reason, detail } }
}

/** A packet may be refused for several states; keep the first reason. */
function firstByIndex(rejected: readonly Rejection[]): Rejection[] {
  const byIndex = new Map<number, Rejection>()
  for (const each of rejected) if (!byIndex.has(each.index)) byIndex.set(each.index, each)
  return [...byIndex.values()]
}
