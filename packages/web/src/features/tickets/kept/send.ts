import type { Ticket } from '@leitstand/contract/tickets'
import { ORPCError } from '@orpc/client'
import { describeError } from '../../../lib/errors.ts'
import type { KeptReport } from './store.ts'

/** How a report gets to the server, and where it is kept. */
export interface SendTools {
  list: () => Promise<KeptReport[]>
  create: (report: KeptReport) => Promise<Pick<Ticket, 'id' | 'number' | 'subject'>>
  uploadPhoto: (ticketId: number, photo: Blob) => Promise<unknown>
  keep: (report: KeptReport) => Promise<void>
  forget: (key: string) => Promise<void>
}

export type SentTicket = Pick<Ticket, 'id' | 'number' | 'subject'>

/**
 * Sends what waits on this device, oldest first. What the server refuses stays with the reason; without a connection
 * everything stays as it is.
 * @returns the tickets they have become, by key
 */
export async function sendKept(tools: SendTools): Promise<Map<string, SentTicket>> {
  const sent = new Map<string, SentTicket>()
  for (const report of await tools.list()) {
    if (report.refusal !== null) continue
    try {
      const ticket = await tools.create(report)
      // Remembered before the photo is sent, which takes longest: only that is sent again then.
      if (report.photo !== null) {
        await tools.keep({ ...report, ticketId: ticket.id })
        await tools.uploadPhoto(ticket.id, report.photo)
      }
      await tools.forget(report.key)
      sent.set(report.key, ticket)
    } catch (error) {
      if (!isRefusal(error)) return sent
      const { code, text, details } = describeError(error)
      await tools.keep({ ...report, refusal: { code, text, details } })
    }
  }
  return sent
}

/** Answers to try again after: a session that has ended, too much at once, a server that is busy. */
const passing: ReadonlySet<number> = new Set([401, 408, 425, 429])

/** Whether the server has said no for good, in contrast to not having answered. */
function isRefusal(error: unknown): error is ORPCError<string, unknown> {
  return error instanceof ORPCError && error.status >= 400 && error.status < 500 && !passing.has(error.status)
}
