import { type ExportDeliveryReason, exportScheduleLimits } from '@leitstand/contract/exportSchedules'
import type { DeliveryReason } from '@leitstand/contract/rules/deliveries'
import type { Context } from '../../../platform/context.ts'
import type { Attempt, ConnectorsFeature } from '../../connectors/index.ts'
import type { MadeFile } from '../../exports/index.ts'
import type { Outcome } from '../deliveries.store.ts'
import type { Parcel, TargetKind } from './types.ts'

/** Media types of files that are text. */
const texts = ['text/', 'application/jsonl']

/**
 * A connector that gets a message about the file, with a secret link to it. It is sent in the attempt itself: its outcome is
 * that of the delivery.
 */
export function connectorTarget(
  { db }: Pick<Context, 'db'>,
  { connectors: { messages } }: { connectors: Pick<ConnectorsFeature, 'messages'> },
): TargetKind<'connector'> {
  return {
    nameOf: async (db, { connectorId }) =>
      (await messages.find(db, [connectorId])).get(connectorId)?.name ?? `${connectorId}`,
    deliver: async ({ connectorId, topic, forward }, parcel) => {
      const { schedule, runId, position, file, signal } = parcel
      const found = (await messages.find(db, [connectorId])).get(connectorId)
      const fits = topic === null ? found?.delivers : found?.mayPublish(topic)
      if (!fits || found?.accountId !== schedule.accountId)
        return async () => ({ state: 'failed', reason: 'connectorGone', again: false })
      const content = await textOf(file)
      const message = { ...forward, ...messageOf(parcel, await parcel.link(db), content) }
      const body = JSON.stringify(message)
      const to = { connectorId, accountId: schedule.accountId }
      const attempt =
        topic === null
          ? await messages.deliver(
              to,
              { id: `export-${runId}-${position}`, contentType: 'application/json', body, isTest: false },
              signal,
            )
          : await messages.publish(to, { topic, payload: Buffer.from(body) })
      return async () => outcomeOf(attempt)
    },
  }
}

/** Reasons of connectors in the words of deliveries. */
const reasons: Readonly<Partial<Record<DeliveryReason, ExportDeliveryReason>>> = {
  unreachable: 'unreachable',
  forbidden: 'forbidden',
  noAnswer: 'timeout',
  notConnected: 'notConnected',
  overloaded: 'rejected',
  refused: 'rejected',
  connectorDisabled: 'connectorDisabled',
  connectorDeleted: 'connectorGone',
  connectorUnfit: 'connectorGone',
  topicForbidden: 'connectorGone',
}

/** A message that may have arrived is sent again: it says which run it is about, and arriving twice does no harm. */
function outcomeOf(attempt: Attempt): Outcome {
  if (attempt.outcome === 'taken') return { state: 'sent' }
  const { outcome, reason, detail } = attempt
  return { state: 'failed', reason: reasons[reason] ?? 'internal', detail, again: outcome !== 'never' }
}

function messageOf({ schedule, dueAt, period, file }: Parcel, link: string, content: string | null) {
  const { name, type, size, rows } = file
  return {
    exportSchedule: { id: schedule.id, title: schedule.title },
    time: dueAt.toISOString(),
    period: { start: new Date(period.startMs).toISOString(), end: new Date(period.endMs).toISOString() },
    file: { name, type, size, rows, link, ...(content === null ? {} : { content }) },
  }
}

/** What a small text file says. */
async function textOf(file: MadeFile): Promise<string | null> {
  if (file.size > exportScheduleLimits.contentBytesMax) return null
  if (!texts.some((type) => file.type.startsWith(type))) return null
  const chunks: Uint8Array[] = []
  for await (const bytes of file.content()) chunks.push(bytes)
  // Spreadsheets need the mark at the beginning, JSON does not.
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
}
