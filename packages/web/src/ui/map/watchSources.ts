import type { MapLibreMap } from 'maplibre-gl'
import { ours } from './style.ts'

interface Watcher {
  /** The map shows nothing of its style, and is not going to. */
  onLost: (error: unknown) => void
  /** Whether some of it is missing. */
  onPatchy: (isPatchy: boolean) => void
}

/**
 * Tells apart what can go wrong with a style after it was fetched: nothing of it comes, so that the map would stay
 * blank, or some of it does not.
 */
export function watchSources(map: MapLibreMap, { onLost, onPatchy }: Watcher): void {
  let hasTiles = false
  let failed: { error: unknown } | undefined
  map.on('style.load', () => {
    hasTiles = false
    failed = undefined
    onPatchy(false)
  })
  map.on('sourcedata', ({ sourceId, tile }) => {
    if (tile && !isOurs(sourceId)) hasTiles = true
  })
  map.on('error', (event) => {
    const sourceId = 'sourceId' in event ? String(event.sourceId) : undefined
    if (map.getLayer(ours.dots) === undefined) onLost(event.error)
    else if (sourceId !== undefined) failed ??= { error: event.error }
    // A picture or a font that is missing: the map is there all the same.
    else console.warn('The map is not complete', event.error)
  })
  // Only when nothing is on its way any more it is known whether another source had something.
  map.on('idle', () => {
    if (!failed) return
    if (hasTiles) onPatchy(true)
    else onLost(failed.error)
  })
}

function isOurs(sourceId: string): boolean {
  return sourceId === ours.points || sourceId === ours.track
}
