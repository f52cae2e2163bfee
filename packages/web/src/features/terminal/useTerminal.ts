import type { TerminalBlock } from '@leitstand/contract/terminal'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, client } from '../../lib/api.ts'
import { readHistory, remember } from './history.ts'

/** A line that was run, and what became of it. */
export interface Entry {
  id: number
  line: string
  blocks: readonly TerminalBlock[]
  error: unknown
  /** set while the line waits for a confirmation */
  confirmation: string | null
  ms: number | null
}

/** More would slow down the page. */
const entriesMax = 50

/** The lines of this visit, and what runs them. */
export function useTerminal() {
  const [entries, setEntries] = useState<readonly Entry[]>([])
  const [history, setHistory] = useState(() => readHistory(sessionStorage))
  const { data } = useQuery(api.terminal.commands.queryOptions({ staleTime: Number.POSITIVE_INFINITY }))
  const add = (entry: Omit<Entry, 'id'>) =>
    setEntries((shown) => [...shown, { ...entry, id: (shown.at(-1)?.id ?? 0) + 1 }].slice(-entriesMax))
  const running = useMutation({
    mutationFn: (input: { line: string; confirmation?: string }) => client.terminal.run(input),
    onSuccess: (reply) => add({ ...reply, error: null }),
    onError: (error, { line }) => add({ line, blocks: [], error, confirmation: null, ms: null }),
  })
  const settle = (id: number) =>
    setEntries((shown) => shown.map((each) => (each.id === id ? { ...each, confirmation: null } : each)))
  return {
    entries,
    history,
    commands: data?.items ?? [],
    isRunning: running.isPending,
    run: (line: string) => {
      setHistory(remember(sessionStorage, line))
      running.mutate({ line })
    },
    confirm: ({ id, line, confirmation }: Entry) => {
      if (confirmation === null) return
      settle(id)
      running.mutate({ line, confirmation })
    },
    cancel: ({ id }: Entry) => settle(id),
    clear: () => setEntries([]),
  }
}

export type Terminal = ReturnType<typeof useTerminal>
