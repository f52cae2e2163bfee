import type { StandardPacket } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import type { ErrorCode } from '@leitstand/contract/errors'
import {
  type FailedAgain,
  type Identity,
  identityOf,
  type LetterPart,
  type LetterRow,
  type MessageOrigin,
  type Outcome,
  type Rejection,
} from '../../ingest/index.ts'
import type { ForeignMessage, KeyedPacket, Translation } from '../presets/index.ts'
import { asRecord } from '../presets/read.ts'

/** What became of a letter. `count` names its place in the result of the job. */
export type Replayed =
  | { letter: LetterRow; count: 'stored' | 'duplicates' | 'dropped'; withErrors: boolean }
  | { letter: LetterRow; count: 'failed'; failure: FailedAgain }
  /** of several packets some could not be used: these become letters of their own */
  | { letter: LetterRow; count: 'partly' | 'failed'; parts: LetterPart[]; withErrors: boolean }

/** Where a letter starts again. Letters of older versions do not say: a standard packet shows by its keys. */
export function stageOf({ meta }: LetterRow, json: JsonValue | undefined): MessageOrigin['stage'] {
  if (meta.stage !== undefined) return meta.stage
  const record = asRecord(json)
  return record !== undefined && ('identifier' in record || 'routing' in record) ? 'packet' : 'message'
}

/** The packets of a letter with the key each is recognised by; one that has none gets the letter's own. */
export function keyedFor(
  letter: LetterRow,
  packets: readonly KeyedPacket[],
): { packet: StandardPacket; dedupKey: string | undefined; identity: Identity; index: number }[] {
  return packets.map(({ packet, dedupKey: own }, index) => {
    const given = own ?? (packets.length === 1 ? letter.meta.dedupKey : undefined)
    const identity = identityOf(packet, letter.receivedAt, given)
    // Without an identity of its own, a crash between storing it and deleting its letter would store it twice.
    const dedupKey = given ?? (identity.recognised ? undefined : `letter ${letter.id} ${index}`)
    return { packet, dedupKey, identity, index }
  })
}

/** A letter that the connector's preset or template still refuses, or that makes no packet at all. */
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
 * What follows from the outcome of the letter's packets.
 * @param known packets that were stored before, longer ago than the pipeline remembers
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

/** One packet may be refused for several states; the first reason tells. */
function firstByIndex(rejected: readonly Rejection[]): Rejection[] {
  const byIndex = new Map<number, Rejection>()
  for (const each of rejected) if (!byIndex.has(each.index)) byIndex.set(each.index, each)
  return [...byIndex.values()]
}
