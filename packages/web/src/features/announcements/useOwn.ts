import type { OwnAnnouncement } from '@leitstand/contract/announcements'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api } from '../../lib/api.ts'
import { useLive } from '../../lib/live.ts'
import { reread } from '../../lib/reread.ts'
import { useSession } from '../../lib/session.ts'
import { useNow } from '../../lib/time.ts'
import { notifyError } from '../../ui/feedback/notify.ts'

/** Everybody is told at the same time: they ask spread over this time. */
const spreadMs = 400

const own = () => api.announcement.own.queryOptions({ staleTime: Number.POSITIVE_INFINITY })

/** What the user is to see now, most urgent first. */
export function useOwn(presentationType: OwnAnnouncement['presentationType']): OwnAnnouncement[] {
  const session = useSession()
  const nowMs = useNow()
  const isReady = session.status === 'user' && !session.needsTwoFactor
  const { data } = useQuery({ ...own(), enabled: isReady })
  return (data?.items ?? []).filter(
    (each) =>
      each.presentationType === presentationType && (each.end === null || Date.parse(each.end) > nowMs),
  )
}

/** Reads announcements again when the server says so, and whenever the session was verified. */
export function useFreshOwn(): void {
  const cache = useQueryClient()
  const session = useSession()
  const accountId = session.status === 'user' && !session.needsTwoFactor ? session.user.accountId : null
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const verified = useRef(session)
  useEffect(() => () => clearTimeout(waiting.current), [])
  useEffect(() => {
    if (verified.current === session) return
    verified.current = session
    void reread(cache, api.announcement.own.key())
  }, [cache, session])
  useLive(accountId === null ? null : `announcements:${accountId}`, ({ kind }) => {
    if ((kind !== 'announcements' && kind !== 'resync') || waiting.current !== undefined) return
    waiting.current = setTimeout(() => {
      waiting.current = undefined
      void reread(cache, api.announcement.own.key())
    }, Math.random() * spreadMs)
  })
}

/** Closes an announcement for the user, for good; undefined while acting as another user. */
export function useDismiss(): ((id: number) => void) | undefined {
  const cache = useQueryClient()
  const session = useSession()
  const { mutate } = useMutation(
    api.announcement.dismiss.mutationOptions({
      onMutate: ({ id }) =>
        cache.setQueryData(
          own().queryKey,
          (shown) => shown && { items: shown.items.filter((each) => each.id !== id) },
        ),
      onError: (error) => {
        notifyError(error)
        void reread(cache, api.announcement.own.key())
      },
    }),
  )
  if (session.status !== 'user' || session.impersonator !== null) return undefined
  return (id) => mutate({ id })
}
