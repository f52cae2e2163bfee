import { exportScheduleLimits } from '@leitstand/contract/exportSchedules'
import type { ConnectorsFeature } from '../../connectors/index.ts'
import type { MadeFile } from '../../exports/index.ts'
import type { RulesFeature } from '../../rules/index.ts'
import type { Parcel, TargetKind } from './types.ts'

/** Media types of files that are text. */
const texts = ['text/', 'application/jsonl']

/** A connector that gets a message about the file, with a secret link to it. */
export function connectorTarget({
  connectors,
  rules,
}: {
  connectors: Pick<ConnectorsFeature, 'messages'>
  rules: Pick<RulesFeature, 'publish' | 'sendToWebhook'>
}): TargetKind<'connector'> {
  return {
    nameOf: async (db, { connectorId }) =>
      (await connectors.messages.find(db, [connectorId])).get(connectorId)?.name ?? `${connectorId}`,
    deliver: async ({ connectorId, topic, forward }, parcel) => {
      const content = await textOf(parcel.file)
      return async (tx) => {
        const { accountId } = parcel.schedule
        const found = (await connectors.messages.find(tx, [connectorId])).get(connectorId)
        const fits = topic === null ? found?.delivers : found?.mayPublish(topic)
        if (!fits || found?.accountId !== accountId)
          return { state: 'failed', reason: 'connectorGone', again: false }
        const message = { ...forward, ...messageOf(parcel, await parcel.link(tx), content) }
        if (topic === null) await rules.sendToWebhook(tx, { accountId, connectorId, content: message })
        else await rules.publish(tx, { accountId, connectorId, topic, payload: JSON.stringify(message) })
        return { state: 'sent' }
      }
    },
  }
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
