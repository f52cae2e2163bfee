import type { LiveTopic } from '@leitstand/contract/live'
import { useEffect, useRef, useState } from 'react'
import { useLive } from '../../../lib/live.ts'
import { createMoves, type MoveSource } from '../../../ui/map/moves.ts'

/** Clusters change while twins move; they are read again as often as this at most. */
const readEveryMs = 5_000

/**
 * Positions of twins that move, over the live connection.
 * @param twinId with everything below it; 0: all twins
 * @param readAgain called when clusters may have changed
 */
export function useTwinMoves(twinId: number, readAgain: () => void): MoveSource {
  const [moves] = useState(createMoves)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef(readAgain)
  useEffect(() => {
    latest.current = readAgain
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  const topic: LiveTopic = twinId > 0 ? `moves:${twinId}` : 'moves'
  useLive(topic, (message) => {
    if (message.kind === 'moves')
      moves.emit(message.moves.map(({ twinId: id, ...place }) => ({ id: String(id), ...place })))
    else if (message.kind !== 'resync') return
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      latest.current()
    }, readEveryMs)
  })
  return moves
}
