import type { WarnMedia, WarnMediaRole } from '@leitstand/contract/warnapp'
import { useQueries } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { client } from '../../lib/api.ts'

async function loadMedia(id: number, role: WarnMediaRole): Promise<Blob> {
  const answer = await client.isWarnapp.media({ id, role })
  if (!('body' in answer) || !(answer.body instanceof Blob)) throw new Error('the server sent no file')
  return answer.body
}

export interface Wanted {
  id: number
  role: WarnMediaRole
  media: WarnMedia
}

const keyOf = ({ id, role, media }: Wanted) => `${id} ${role} ${media.hash}`

/**
 * Object URLs of images and sounds, by `urlKey`. They are kept in memory, so that they need no network later, and given back
 * when they are no longer wanted.
 */
export function useMedia(wanted: readonly Wanted[]): ReadonlyMap<string, string> {
  const queries = useQueries({
    queries: wanted.map((each) => ({
      queryKey: ['warnMedia', each.id, each.role, each.media.hash],
      queryFn: () => loadMedia(each.id, each.role),
      staleTime: Number.POSITIVE_INFINITY,
      retry: 5,
    })),
  })
  const [urls, setUrls] = useState<ReadonlyMap<string, string>>(new Map())
  const made = useRef(new Map<string, string>())
  // After each render: contents come and go with the answers of the server.
  useEffect(() => {
    const loaded = new Map(wanted.map((each, index) => [keyOf(each), queries[index]?.data]))
    if (renew(made.current, loaded)) setUrls(new Map(made.current))
  })
  useEffect(() => {
    const held = made.current
    return () => void renew(held, new Map())
  }, [])
  return urls
}

/** Makes URLs for new contents and gives back those of others. @returns whether anything has changed */
function renew(made: Map<string, string>, loaded: ReadonlyMap<string, Blob | undefined>): boolean {
  let hasChanged = false
  for (const [name, url] of made) {
    if (loaded.has(name)) continue
    URL.revokeObjectURL(url)
    made.delete(name)
    hasChanged = true
  }
  for (const [name, blob] of loaded) {
    if (blob === undefined || made.has(name)) continue
    made.set(name, URL.createObjectURL(blob))
    hasChanged = true
  }
  return hasChanged
}

export function urlOf(
  urls: ReadonlyMap<string, string>,
  id: number,
  role: WarnMediaRole,
  media: WarnMedia | null,
) {
  return media === null ? undefined : urls.get(keyOf({ id, role, media }))
}
