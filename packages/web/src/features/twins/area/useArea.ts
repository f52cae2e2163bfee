import type { GeoPolygon } from '@leitstand/contract/geoPolygon'
import { useEffect, useRef, useState } from 'react'
import {
  circleAround,
  cornersOf,
  followed,
  type Place,
  radiusOf,
  withoutCorner,
} from '../../../ui/map/area.ts'
import type { AreaEditing } from '../../../ui/map/MapView.tsx'
import type { AreaTool } from './AreaTools.tsx'
import type { AreaValues } from './areaValues.ts'
import { type Steps, stepped } from './steps.ts'

/** Metres. */
const firstRadius = 50

interface AreaState {
  value: AreaValues
  onChange: (value: AreaValues) => void
  position: Place | null
  /** Whether the user has changed position or polygon: a position that only devices report moves no circle. */
  edited: boolean
}

/** The polygon of a form while it is drawn and edited: tool, selected corner, steps to undo. */
export function useArea({ value, onChange, position, edited }: AreaState) {
  const { geoPolygon } = value
  const [chosen, setChosen] = useState<AreaTool>('position')
  const [corner, setCorner] = useState<number | null>(null)
  const [steps, setSteps] = useState<Steps<AreaValues>>([])
  const undoRef = useRef<(() => boolean) | null>(null)
  useFollowing({ value, onChange, position, edited })

  const isPierced = geoPolygon !== null && geoPolygon.coordinates.length > 1
  const canEdit = geoPolygon !== null && !isPierced && cornersOf(geoPolygon).length >= 3
  const tool = chosen === 'edit' && !canEdit ? 'position' : chosen
  const choose = (next: AreaTool) => {
    setCorner(null)
    setChosen(next)
  }
  const enter = (next: AreaValues, kind: string | null) => {
    setCorner(null)
    setSteps(stepped(steps, value, kind))
    onChange(next)
  }
  const change = (polygon: GeoPolygon | null, kind: string | null = null) =>
    enter({ geoPolygon: polygon, areaText: null }, kind)
  const goBack = () => {
    const last = steps.at(-1)
    if (!last) return
    setCorner(null)
    setSteps(steps.slice(0, -1))
    onChange(last.before)
  }
  const rest = corner === null || !geoPolygon ? null : withoutCorner(geoPolygon, corner)
  const deleteCorner = () => rest && change(rest)
  const radiusM = geoPolygon && position && radiusOf(geoPolygon, position)
  const draw = (at: Place, metres: number, kind: string | null) => {
    const circle = circleAround(at, metres)
    change(circle, kind)
    choose('position')
    return circle
  }
  const editing: AreaEditing | undefined =
    tool === 'position'
      ? undefined
      : {
          tool,
          polygon: geoPolygon,
          corner,
          onCorner: setCorner,
          undoRef,
          onDraw: (polygon) => {
            change(polygon)
            setChosen('edit')
          },
          onDeleteCorner: deleteCorner,
          onUndo: goBack,
        }
  return {
    tool,
    choose,
    canEdit,
    isPierced,
    editing,
    enter,
    radiusM,
    /** Draws the automatic circle and returns it; undefined without a position. */
    drawCircle: position ? () => draw(position, radiusM ?? firstRadius, null) : undefined,
    setRadius:
      position && radiusM !== null ? (metres: number) => draw(position, metres, 'radius') : undefined,
    undo:
      steps.length > 0 || tool === 'polygon'
        ? () => {
            if (!undoRef.current?.()) goBack()
          }
        : undefined,
    deleteCorner: rest ? deleteCorner : undefined,
    clear: geoPolygon || value.areaText !== null ? () => change(null) : undefined,
  }
}

/** A circle around the position follows it, wherever on the page that was changed. */
function useFollowing({ value, onChange, position, edited }: AreaState): void {
  const before = useRef(position)
  useEffect(() => {
    const from = before.current
    if (!position) return
    before.current = position
    if (!edited || !from || (from.latitude === position.latitude && from.longitude === position.longitude))
      return
    const moved = followed(value.geoPolygon, from, position)
    if (moved !== value.geoPolygon) onChange({ ...value, geoPolygon: moved })
  }, [value, onChange, position, edited])
}
