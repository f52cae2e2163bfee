import { Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { boundsOfArea, circleAround, isSame, type Place, squareMetres } from '../../../ui/map/area.ts'
import { type MapPlan, MapView } from '../../../ui/map/MapView.tsx'
import { boundsOfPlan } from '../../../ui/map/planCorners.ts'
import { AreaRadius } from './AreaRadius.tsx'
import { AreaText } from './AreaText.tsx'
import { AreaTools } from './AreaTools.tsx'
import { type AreaValues, areaWords, shapeFault } from './areaValues.ts'
import { useArea } from './useArea.ts'

interface AreaFieldsProps {
  value: AreaValues
  onChange: (value: AreaValues) => void
  position: Place | null
  onPosition: (position: Place) => void
  /** of the twin */
  title: string
  /** where the map begins if there is neither position nor polygon */
  around?: Place | null
  /** whether the user has changed position or polygon, see `useArea` */
  edited: boolean
  required: boolean
  error: string | undefined
  readOnly?: boolean
  /** of the floor, below what is drawn */
  plan?: MapPlan | undefined
}

/** Position and polygon of a twin on a map, with tools to draw, and the coordinates as text. */
export default function AreaFields(props: AreaFieldsProps) {
  const { value, position, onPosition, title, required, error, readOnly = false, plan } = props
  const { geoPolygon } = value
  const { t } = useTranslation()
  const area = useArea(props)
  const [focus, setFocus] = useState(() => firstView(props))
  const [typingFrom, setTypingFrom] = useState<{ polygon: typeof geoPolygon }>()
  const points = useMemo(() => (position ? [{ id: 'here', ...position, title }] : []), [position, title])
  const isSeen = geoPolygon !== null && area.tool !== 'edit'
  const areas = useMemo(() => (isSeen ? [{ polygon: geoPolygon }] : []), [isSeen, geoPolygon])
  const { drawCircle } = area
  const show = (polygon: NonNullable<typeof geoPolygon>) => setFocus(boundsOfArea(polygon))
  const shape = shapeFault(value)
  const summary = useSummary(geoPolygon, shape !== undefined)
  // Incomplete while somebody types.
  const fault = (typingFrom ? undefined : shape) ?? error
  return (
    <Stack gap="sm">
      {readOnly ? null : (
        <>
          <AreaTools
            tool={area.tool}
            onTool={area.choose}
            canEdit={area.canEdit}
            onCircle={drawCircle && (() => show(drawCircle()))}
            onUndo={area.undo}
            onDeleteCorner={area.deleteCorner}
            onDelete={area.clear}
          />
          <Text size="sm" c={shape && area.editing ? 'var(--health-error)' : 'dimmed'} aria-live="polite">
            {(area.editing && shape) ??
              t(`geoPolygon.hints.${area.isPierced && area.tool === 'position' ? 'pierced' : area.tool}`)}
          </Text>
        </>
      )}
      <MapView
        plain
        height="380px"
        title={t('geoPolygon.map', { title })}
        points={points}
        areas={areas}
        plan={plan}
        focus={focus}
        editing={area.editing}
        {...(readOnly || area.editing
          ? {}
          : { onPick: onPosition, onMove: (_: string, place: Place) => onPosition(place) })}
      />
      {area.radiusM !== null && area.setRadius && !readOnly ? (
        <AreaRadius metres={area.radiusM} onChange={area.setRadius} />
      ) : null}
      <AreaText
        value={value}
        onChange={(next) => area.enter(next, 'text')}
        onFocus={() => setTypingFrom({ polygon: geoPolygon })}
        onLeave={() => {
          setTypingFrom(undefined)
          if (geoPolygon && typingFrom && !isSame(geoPolygon, typingFrom.polygon)) show(geoPolygon)
        }}
        description={readOnly ? summary : `${summary} ${t('geoPolygon.textHint')}`}
        required={required}
        error={fault}
        readOnly={readOnly}
      />
    </Stack>
  )
}

/** Metres around the place where the map begins. */
const viewRadius = 200

function firstView({ value: { geoPolygon }, position, around, plan }: AreaFieldsProps) {
  if (geoPolygon) return boundsOfArea(geoPolygon)
  if (plan) return boundsOfPlan(plan.corners)
  return position || !around ? undefined : boundsOfArea(circleAround(around, viewRadius))
}

/** Number of corners, and the area unless sides cross. */
function useSummary(polygon: AreaValues['geoPolygon'], isFaulty: boolean): string {
  const { t } = useTranslation()
  if (!polygon) return t('geoPolygon.none')
  const count = polygon.coordinates.reduce((sum, ring) => sum + Math.max(0, ring.length - 1), 0)
  return isFaulty
    ? t('geoPolygon.corners', { count })
    : t('geoPolygon.summary', { count, area: areaWords(squareMetres(polygon)) })
}
