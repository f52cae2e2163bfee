import type { MapLibreMap } from 'maplibre-gl'
import { ours } from './style.ts'

interface Watcher {
  /** None of the style's sources can be loaded. */
  onLost: (error: unknown) => void
  /** Whether some of it is missing. */
  onPatchy: (isPatchy: boolean) => void
}

/**
 * Detects failures after a style was loaded: no source loads, so that the map would stay blank, or only some
 * do.
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
    // A missing image or font: the map still works.
    else console.warn('The map is not complete', event.error)
  })
  // Only when nothing is loading any more is it known whether another source has data.
  map.on('idle', () => {
    if (!failed) return
    if (hasTiles) onPatchy(true)
    else onLost(failed.error)
  })
}

function isOurs(sourceId: string): boolean {
  return sourceId === ours.points || sourceId === ours.track
}
