import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { client } from '../../../lib/api.ts'
import { live } from '../../../lib/live.ts'
import { type Answer, type Stamp, withValues } from '../pure.ts'

/** Three answers may be missed before the screen turns unknown. */
const askEveryMs = 9_000

export const stampNow = (): Stamp => ({ steadyMs: performance.now(), wallMs: Date.now() })

const keyOf = (id: number) => ['warnMonitor', id] as const

async function ask(id: number): Promise<Answer> {
  // Stamped before the question: an answer that takes long is as old as its question.
  const stamp = stampNow()
  return { monitor: await client.isWarnapp.get({ id }), stamp }
}

/**
 * Monitors as the server answers, asked for again and again, with values as they arrive. Only answers count as contact:
 * a connection that is open but brings nothing must not keep a screen good.
 */
export function useMonitors(ids: readonly number[]) {
  const cache = useQueryClient()
  const queries = useQueries({
    queries: ids.map((id) => ({
      queryKey: keyOf(id),
      queryFn: () => ask(id),
      refetchInterval: askEveryMs,
      refetchIntervalInBackground: true,
      // Browsers are wrong about it, and a question that fails costs nothing.
      networkMode: 'always' as const,
      retry: false,
      staleTime: 0,
    })),
  })
  const key = ids.join(',')
  useEffect(() => {
    const ends = key.split(',').flatMap((text) => {
      const id = Number(text)
      if (id === 0) return []
      return live.subscribe(`warn:${id}`, (message) => {
        if (message.kind === 'values')
          cache.setQueryData<Answer>(
            keyOf(id),
            (answer) => answer && { ...answer, monitor: withValues(answer.monitor, message.values) },
          )
        else if (message.kind === 'resync' || message.kind === 'subscribed')
          void cache.invalidateQueries({ queryKey: keyOf(id) })
      })
    })
    return () => {
      for (const end of ends) end()
    }
  }, [key, cache])
  return queries
}
