import type { Ticket, TicketPriority, TicketState } from '@leitstand/contract/tickets'
import type { Tone } from '../../ui/display/Badges.tsx'

/** Number and subject. */
export const titleOf = ({ number, subject }: Pick<Ticket, 'number' | 'subject'>): string =>
  `#${number} ${subject}`

/** A place with what is above it, the topmost first. */
export const placeText = ({ title, above }: Ticket['twin']): string => [...above, title].join(' › ')

/** The ticket in the list of those who take care of tickets. */
export const ticketPath = (id: number): string => `/fm-ticketing-mgmt?ticket=${id}`

/** Where a fault of a twin is reported. */
export const reportPath = (twinId: number): string => `/fm-add-ticket?twin=${twinId}`

export const stateTones: Readonly<Record<TicketState, Tone>> = { 0: 'warning', 1: 'accent', 2: 'ok' }
export const priorityTones: Readonly<Record<TicketPriority, Tone>> = {
  low: 'unknown',
  normal: 'unknown',
  high: 'warning',
  urgent: 'error',
}

/** Today in the reader's calendar, e.g. `2026-11-20`. */
export function today(now = new Date()): string {
  const pad = (value: number) => String(value).padStart(2, '0')
  return `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`
}

/** Whether the day of a ticket is over and it is not done. */
export const isOverdue = ({ state, dueAt }: Pick<Ticket, 'state' | 'dueAt'>, day = today()): boolean =>
  state < 2 && dueAt !== null && dueAt < day

/** The id in a value of the address; null if it is none. */
export function idOf(value: string | undefined): number | null {
  const id = Number(value)
  return Number.isSafeInteger(id) && id > 0 ? id : null
}

/** What a list's filters ask for, as input of the operations. */
export function ticketFilter(filters: Readonly<Record<string, readonly string[] | undefined>>) {
  const { state, type, priority, assigned, due } = filters
  const numbers = (state ?? []).map(Number).filter((each): each is TicketState => [0, 1, 2].includes(each))
  return {
    ...(numbers.length > 0 ? { states: numbers } : {}),
    ...(type?.length ? { types: type as Ticket['type'][] } : {}),
    ...(priority?.length ? { priorities: priority as TicketPriority[] } : {}),
    ...(assigned?.[0] ? { assigned: assigned[0] as 'me' | 'anyone' | 'nobody' } : {}),
    ...(due?.[0] ? { overdue: due[0] === 'over', today: today() } : {}),
  }
}
