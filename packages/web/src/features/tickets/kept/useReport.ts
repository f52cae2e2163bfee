import { ORPCError } from '@orpc/client'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../../lib/api.ts'
import { type SentTicket, sendKept } from './send.ts'
import { type KeptReport, keptReports } from './store.ts'
import { awaitReport, discard, keep, photoOf, takeSent, useSendKept } from './useKept.ts'

/** How long somebody waits for the answer before the report is left to be sent by itself. */
const patienceMs = 6_000

export type Outcome =
  | { kind: 'sent'; ticket: SentTicket }
  /** stays on this device until there is a connection */
  | { kind: 'kept' }
  | { kind: 'refused'; code: string; error: Error }

/**
 * Sends a report that is stored on this device before, so that nothing is lost when the network drops in the middle.
 * What the server refuses is taken off the device again: the form still shows it.
 */
export function useReport(): (report: KeptReport) => Promise<Outcome> {
  const { t } = useTranslation()
  const send = useSendKept()
  return useCallback(
    async (report) => {
      awaitReport(report.key)
      try {
        await keep(report)
      } catch {
        // A browser that stores nothing, such as in a private window, is no reason not to report.
        return sendUnkept(report, t('tickets.kept.unsafe'))
      }
      if (navigator.onLine) await Promise.race([send(), patience()])
      const ticket = takeSent(report.key)
      if (ticket !== undefined) return { kind: 'sent', ticket }
      const left = (await keptReports(report.userId)).find(({ key }) => key === report.key)
      if (left?.refusal) {
        await discard(report)
        return refused(left.refusal)
      }
      return { kind: 'kept' }
    },
    [send, t],
  )
}

/** As if the server had just answered it. */
function refused({ code, text, details }: NonNullable<KeptReport['refusal']>): Outcome {
  return {
    kind: 'refused',
    code,
    error: new ORPCError(code, { message: text, data: { requestId: null, details } }),
  }
}

const patience = () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), patienceMs))

async function sendUnkept(report: KeptReport, unsafe: string): Promise<Outcome> {
  let left: KeptReport | null = report
  const sent = await sendKept({
    list: async () => [report],
    create: ({ key, twinId, type, subject, comment, again, alarmId }) =>
      client.isFmTicket.create({
        key,
        twinId,
        type,
        subject,
        comment,
        again,
        ...(alarmId ? { alarmId } : {}),
      }),
    uploadPhoto: (ticketId, photo) => client.upload.post(photoOf(ticketId, photo)),
    keep: async (changed) => {
      left = changed
    },
    forget: async () => {
      left = null
    },
  })
  const ticket = sent.get(report.key)
  if (ticket !== undefined) return { kind: 'sent', ticket }
  const refusal = (left as KeptReport | null)?.refusal
  if (refusal) return refused(refusal)
  return { kind: 'refused', code: '', error: new Error(unsafe) }
}
