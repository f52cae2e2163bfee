import type { Ticket } from '@leitstand/contract/tickets'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { reread } from '../../lib/reread.ts'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'

/** A ticket as the input that changes nothing. */
export const inputOf = (ticket: Ticket) => ({
  id: ticket.id,
  version: ticket.version,
  twinId: ticket.twin.id,
  type: ticket.type,
  subject: ticket.subject,
  state: ticket.state,
  priority: ticket.priority,
  dueAt: ticket.dueAt,
  assigneeId: ticket.assignee?.userId ?? null,
})
export type TicketInput = ReturnType<typeof inputOf>

/** Everything that shows tickets, with the history of one. */
export function useRereadTickets(): (id: number) => Promise<void> {
  const cache = useQueryClient()
  return async (id) => {
    await reread(cache, api.isFmTicket.key())
    await reread(cache, ['ticket-history', id])
  }
}

/** Changes a ticket at once, without a form. */
export function useChangeTicket() {
  const refresh = useRereadTickets()
  return useMutation({
    mutationFn: (input: TicketInput) => client.isFmTicket.update(input),
    onError: (error) => notifyError(error),
    onSettled: (_, __, { id }) => refresh(id),
  })
}

/** Gives a ticket another state. */
export function useMoveTicket() {
  const { t } = useTranslation()
  const refresh = useRereadTickets()
  return useMutation({
    mutationFn: ({ ticket, state }: { ticket: Pick<Ticket, 'id' | 'number'>; state: Ticket['state'] }) =>
      client.isFmTicket.setState({ id: ticket.id, state }),
    onError: (error) => notifyError(error),
    onSuccess: ({ number, state }) =>
      notifySuccess(t('tickets.moved', { number, state: t(`tickets.states.${state}`) })),
    onSettled: (_, __, { ticket }) => refresh(ticket.id),
  })
}
