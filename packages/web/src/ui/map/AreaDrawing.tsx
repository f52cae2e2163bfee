import type { MapLibreMap } from 'maplibre-gl'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type Drawing, startDrawing } from './drawing.ts'
import type { AreaEditing } from './MapView.tsx'
import type { AreaColors } from './style.ts'

interface AreaDrawingProps extends AreaEditing {
  map: MapLibreMap
  colors: AreaColors
}

/** Draws and edits the polygon of a map; mounted while the map's style is loaded. */
export default function AreaDrawing({ map, colors, ...editing }: AreaDrawingProps) {
  const [drawing, setDrawing] = useState<Drawing>()
  const latest = useRef(editing)
  useEffect(() => {
    latest.current = editing
  })
  // Cleaned up before the map's own effects replace its style or remove it.
  useLayoutEffect(() => {
    const made = startDrawing(map, colors, {
      onDraw: (polygon) => latest.current.onDraw(polygon),
      onCorner: (corner) => latest.current.onCorner(corner),
    })
    setDrawing(made)
    const stopKeys = listenToKeys(map, made, () => latest.current)
    return () => {
      setDrawing(undefined)
      delete map.getCanvas().dataset.tool
      stopKeys()
      made.stop()
    }
  }, [map, colors])

  const { tool, polygon, corner, undoRef } = editing
  useEffect(() => {
    if (!drawing) return
    drawing.show(tool, polygon)
    // Tests wait for this before they click.
    map.getCanvas().dataset.tool = tool
  }, [map, drawing, tool, polygon])
  useEffect(() => drawing?.mark(corner), [drawing, corner])
  useEffect(() => {
    // Escape gives up what is being drawn, and does not close the dialog around the map.
    if (tool !== 'edit') map.getCanvas().setAttribute('data-mantine-stop-propagation', 'true')
    return () => map.getCanvas().removeAttribute('data-mantine-stop-propagation')
  }, [map, tool])
  useEffect(() => {
    undoRef.current = drawing ? () => drawing.undo() : null
    return () => {
      undoRef.current = null
    }
  }, [drawing, undoRef])
  return null
}

/** Undo and deleting a corner, while the map has the focus. */
function listenToKeys(map: MapLibreMap, drawing: Drawing, editing: () => AreaEditing): () => void {
  const canvas = map.getCanvas()
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Delete') editing().onDeleteCorner()
    if (event.key !== 'Backspace' && !(event.key === 'z' && (event.ctrlKey || event.metaKey))) return
    event.preventDefault()
    // Elsewhere the key undoes what the last message is about.
    event.stopPropagation()
    if (!drawing.undo()) editing().onUndo()
  }
  canvas.addEventListener('keydown', press)
  return () => canvas.removeEventListener('keydown', press)
}
