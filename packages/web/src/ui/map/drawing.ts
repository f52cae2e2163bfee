import type { GeoPolygon } from '@leitstand/contract/geoPolygon'
import type { MapLibreMap, MapMouseEvent } from 'maplibre-gl'
import {
  type GeoJSONStoreFeatures,
  TerraDraw,
  TerraDrawModeUndoRedo,
  TerraDrawPolygonMode,
  TerraDrawRectangleMode,
  TerraDrawSelectMode,
} from 'terra-draw'
import { TerraDrawMapLibreGLAdapter } from 'terra-draw-maplibre-gl-adapter'
import { cornersOf, isSame, roundedArea } from './area.ts'
import type { DrawTool } from './MapView.tsx'
import type { AreaColors } from './style.ts'

/** Decimals of a degree. */
const digits = 7
/** With more corners, points between them would cover each other. */
const midpointsUpTo = 40
/** Pixels around a corner that hit it; a fingertip is wider than a pointer. */
const cornerReach = 14

export interface Drawing {
  /** Shows the polygon with its corners, or waits for a new one to be drawn. */
  show(tool: DrawTool, polygon: GeoPolygon | null): void
  /** Highlights a corner of the polygon. */
  mark(corner: number | null): void
  /** Takes back the last corner of a polygon that is being drawn. @returns whether there was one */
  undo(): boolean
  /** Removes everything from the map. */
  stop(): void
}

interface Callbacks {
  onDraw: (polygon: GeoPolygon) => void
  onCorner: (corner: number | null) => void
}

/** Draws and edits one polygon on a map whose style is loaded. */
export function startDrawing(map: MapLibreMap, colors: AreaColors, { onDraw, onCorner }: Callbacks): Drawing {
  let marked: number | null = null
  let shown: GeoPolygon | null = null
  let tool: DrawTool | undefined
  const isMarked = (point: GeoJSONStoreFeatures) => point.properties.index === marked
  const draw = new TerraDraw({
    adapter: new TerraDrawMapLibreGLAdapter({
      map,
      coordinatePrecision: digits,
      prefixId: 'leitstand-drawing',
    }),
    modes: modesFor(colors, isMarked),
    undoRedo: { modeLevel: new TerraDrawModeUndoRedo() },
  })
  draw.start()
  draw.on('finish', (id) => {
    const { geometry } = draw.getSnapshotFeature(id) ?? {}
    if (geometry?.type !== 'Polygon') return
    const polygon = roundedArea(geometry)
    if (tool === 'edit') shown = polygon
    onDraw(polygon)
  })
  const pick = ({ point, lngLat }: MapMouseEvent) => {
    if (tool !== 'edit' || !shown) return
    const [nearest] = cornersOf(shown)
      .map(([lng = 0, lat = 0], index) => {
        // The map repeats around the world: the corner nearest to the click is meant.
        const place = map.project([lng + 360 * Math.round((lngLat.lng - lng) / 360), lat])
        return { index, distance: Math.hypot(place.x - point.x, place.y - point.y) }
      })
      .sort((a, b) => a.distance - b.distance)
    onCorner(nearest && nearest.distance <= cornerReach ? nearest.index : null)
  }
  map.on('click', pick)

  const select = (polygon: GeoPolygon) => {
    const midpoints = cornersOf(polygon).length <= midpointsUpTo && { draggable: true }
    draw.updateModeOptions<typeof TerraDrawSelectMode>('select', { flags: { polygon: editable(midpoints) } })
    const [added] = draw.addFeatures([
      { type: 'Feature', geometry: polygon, properties: { mode: 'polygon' } },
    ])
    if (added?.valid && added.id !== undefined) draw.selectFeature(added.id)
  }
  return {
    show(next, polygon) {
      const wanted = polygon && roundedArea(polygon)
      const isEditing = next === 'edit'
      if (next === tool && (!isEditing || isSame(wanted, shown))) return
      tool = next
      shown = isEditing ? wanted : null
      draw.clear()
      draw.setMode(isEditing ? 'select' : next)
      if (isEditing && wanted) select(wanted)
    },
    mark(corner) {
      marked = corner
      // Redraws the corners.
      draw.updateModeOptions<typeof TerraDrawSelectMode>('select', { styles: selectStyles(colors, isMarked) })
    },
    undo: () => draw.canUndo() && draw.undo(),
    stop() {
      map.off('click', pick)
      draw.stop()
    },
  }
}

type IsMarked = (point: GeoJSONStoreFeatures) => boolean

function modesFor(colors: AreaColors, isMarked: IsMarked) {
  const styles = { fillColor: colors.line, fillOpacity: 0.15, outlineColor: colors.line, outlineWidth: 2 }
  const closing = {
    closingPointColor: colors.halo,
    closingPointOutlineColor: colors.line,
    closingPointOutlineWidth: 2,
    closingPointWidth: 6,
  }
  return [
    // Delete and undo are the console's keys, Escape and Enter the library's.
    new TerraDrawSelectMode({
      flags: { polygon: editable(false) },
      keyEvents: null,
      allowManualDeselection: false,
      styles: selectStyles(colors, isMarked),
    }),
    new TerraDrawRectangleMode({ drawInteraction: 'click-move-or-drag', styles }),
    new TerraDrawPolygonMode({ pointerDistance: 20, styles: { ...styles, ...closing } }),
  ]
}

function editable(midpoints: false | { draggable: boolean }) {
  // A crossing that is being resolved must be possible; the form refuses to save one.
  return {
    feature: {
      draggable: true,
      selfIntersectable: true,
      coordinates: { draggable: true, deletable: true, midpoints },
    },
  }
}

function selectStyles(colors: AreaColors, isMarked: IsMarked) {
  return {
    selectedPolygonColor: colors.line,
    selectedPolygonFillOpacity: 0.15,
    selectedPolygonOutlineColor: colors.line,
    selectedPolygonOutlineWidth: 2,
    selectionPointColor: (point: GeoJSONStoreFeatures) => (isMarked(point) ? colors.mark : colors.halo),
    selectionPointOutlineColor: colors.line,
    selectionPointOutlineWidth: 2,
    selectionPointWidth: (point: GeoJSONStoreFeatures) => (isMarked(point) ? 8 : 6),
    midPointColor: colors.line,
    midPointOutlineColor: colors.halo,
    midPointOutlineWidth: 1,
    midPointWidth: 4,
  }
}
