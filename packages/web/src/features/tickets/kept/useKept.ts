import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { api, client, queryClient } from '../../../lib/api.ts'
import { reread } from '../../../lib/reread.ts'
import { useUser } from '../../../lib/session.ts'
import { type SentTicket, sendKept } from './send.ts'
import { forgetReport, type KeptReport, keepReport, keptReports } from './store.ts'

/** How often what waits is sent again, beside the moments in which the network returns. */
const againMs = 20_000

const keptOf = (userId: number) =>
  queryOptions({
    queryKey: ['kept-reports', userId],
    queryFn: () => keptReports(userId),
    // What is on the device does not need a network.
    networkMode: 'always',
    retry: false,
  })

/** Reports of the user that wait on this device. */
export function useKept() {
  return useQuery(keptOf(useUser().id))
}

/** Other tabs of this browser do not send the same at the same time. */
function alone<T>(work: () => Promise<T>): Promise<T> {
  return 'locks' in navigator ? navigator.locks.request('leitstand-reports', work) : work()
}

/**
 * Reports whose outcome a form waits for, with what they have become. The form and the toolbar may both send what waits;
 * whichever does, the form has to hear of it, and nobody else needs to be told.
 */
const awaited = new Map<string, SentTicket | null>()

/** The ticket of this report is for `takeSent`, and not announced. */
export function awaitReport(key: string): void {
  awaited.set(key, null)
}

/** The ticket a report has become; undefined if it has not been sent. From now on it is announced. */
export function takeSent(key: string): SentTicket | undefined {
  const ticket = awaited.get(key) ?? undefined
  awaited.delete(key)
  return ticket
}

/** Sends what waits on this device. @returns the tickets to tell of, by key */
export function useSendKept(): () => Promise<Map<string, SentTicket>> {
  const cache = useQueryClient()
  const { id: userId } = useUser()
  return useCallback(async () => {
    const sent = await alone(() =>
      sendKept({
        list: () => keptReports(userId),
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
        keep: keepReport,
        forget: forgetReport,
      }),
    )
    for (const [key, ticket] of sent)
      if (awaited.has(key)) {
        awaited.set(key, ticket)
        sent.delete(key)
      }
    await reread(cache, keptOf(userId).queryKey)
    await reread(cache, api.isFmTicket.key())
    return sent
  }, [cache, userId])
}

/** A photo as a file of a ticket. */
export function photoOf(ticketId: number, photo: Blob) {
  const file = new File([photo], photo.type === 'image/jpeg' ? 'photo.jpg' : 'photo.png', {
    type: photo.type,
  })
  return { object: 'ticket', objectId: ticketId, role: 'picture', file } as const
}

/** Sends what waits now, whenever the network or the user returns, and from time to time. */
export function useSendWhenOnline(onSent: (tickets: readonly SentTicket[]) => void): void {
  const send = useSendKept()
  const { data } = useKept()
  const waits = data?.some(({ refusal }) => refusal === null) ?? false
  useEffect(() => {
    if (!waits) return
    const attempt = () => {
      if (navigator.onLine) void send().then((sent) => onSent([...sent.values()]))
    }
    const timer = setInterval(attempt, againMs)
    addEventListener('online', attempt)
    addEventListener('visibilitychange', attempt)
    attempt()
    return () => {
      clearInterval(timer)
      removeEventListener('online', attempt)
      removeEventListener('visibilitychange', attempt)
    }
  }, [waits, send, onSent])
}

/** Stores a report on this device. */
export async function keep(report: KeptReport): Promise<void> {
  await keepReport(report)
  await reread(queryClient, keptOf(report.userId).queryKey)
}

/** Removes a report from this device. */
export async function discard({ key, userId }: Pick<KeptReport, 'key' | 'userId'>): Promise<void> {
  await forgetReport(key)
  await reread(queryClient, keptOf(userId).queryKey)
}
