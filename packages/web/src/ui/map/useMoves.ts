import type { GeoJSONSource, MapLibreMap } from 'maplibre-gl'
import { useEffect, useRef } from 'react'
import type { MapPoint } from './MapView.tsx'
import { diffOf, MoveQueue, type MoveSource } from './moves.ts'
import { ours } from './style.ts'

/** Positions that come within this time are drawn together. */
const gatherMs = 200

/**
 * Moves points as their positions come, without making the others again: together, in a frame of the browser, and not
 * before the map has finished the ones before.
 * @returns the queue, for points that are read in the meantime
 */
export function useMoves(
  map: MapLibreMap | null,
  moves: MoveSource | undefined,
  points: readonly MapPoint[],
): MoveQueue {
  const queue = useRef<MoveQueue>(null)
  queue.current ??= new MoveQueue()
  const single = useRef<ReadonlySet<string>>(new Set())
  useEffect(() => {
    single.current = new Set(points.flatMap(({ id, count = 1 }) => (count === 1 ? id : [])))
  }, [points])
  useEffect(() => {
    if (!map || !moves) return undefined
    const waiting = queue.current as MoveQueue
    let timer: ReturnType<typeof setTimeout> | undefined
    let frame: number | undefined
    let isEnded = false
    const plan = () => {
      timer ??= setTimeout(() => {
        frame = requestAnimationFrame(() => void draw())
      }, gatherMs)
    }
    const draw = async () => {
      const taken = waiting.take((id) => single.current.has(id))
      const source = map.getSource<GeoJSONSource>(ours.points)
      // A style that is loading gets the points anyway.
      if (taken.length > 0 && source) await source.updateData(diffOf(taken))
      timer = undefined
      if (!isEnded && !waiting.isEmpty) plan()
    }
    const stop = moves.listen((each) => {
      waiting.add(each, performance.now())
      plan()
    })
    return () => {
      isEnded = true
      stop()
      clearTimeout(timer)
      if (frame !== undefined) cancelAnimationFrame(frame)
    }
  }, [map, moves])
  return queue.current
}
