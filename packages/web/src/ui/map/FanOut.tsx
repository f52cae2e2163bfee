import type { MapLibreMap } from 'maplibre-gl'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../display/Icon.tsx'
import { RouterLink } from '../page/RouterLink.tsx'
import classes from './fan.module.css'
import { fanOffsets } from './fan.ts'
import type { MapFan, MapPoint } from './MapView.tsx'

interface FanOutProps {
  map: MapLibreMap
  fan: MapFan
  selectedId: string | null
  onSelect: (id: string) => void
  onClose: () => void
}

/** Points in the same place, side by side around it: buttons, each with a line that leads to the place. */
export default function FanOut({ map, fan, selectedId, onSelect, onClose }: FanOutProps) {
  const { t } = useTranslation()
  const host = useRef<HTMLFieldSetElement>(null)
  const { latitude, longitude, points } = fan
  useLayoutEffect(() => {
    const follow = () => {
      const { x, y } = map.project([longitude, latitude])
      if (host.current) host.current.style.transform = `translate(${x}px, ${y}px)`
    }
    follow()
    map.on('move', follow)
    return () => {
      map.off('move', follow)
    }
  }, [map, latitude, longitude])
  const ids = points.map(({ id }) => id).join(' ')
  useEffect(() => {
    if (ids !== '') host.current?.querySelector<HTMLElement>('button, a')?.focus({ preventScroll: true })
  }, [ids])
  const offsets = fanOffsets(points.length)
  return (
    <fieldset
      ref={host}
      className={classes.fan}
      aria-label={t('map.fan', { count: points.length })}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        map.getCanvas().focus({ preventScroll: true })
        onClose()
      }}
    >
      <svg className={classes.lines} aria-hidden="true">
        {points.map(({ id }, at) => (
          <line key={id} x2={offsets[at]?.x} y2={offsets[at]?.y} />
        ))}
        <circle r={3} />
      </svg>
      {points.map((point, at) => (
        <FanPoint
          key={point.id}
          point={point}
          offset={offsets[at]}
          isSelected={point.id === selectedId}
          onSelect={onSelect}
        />
      ))}
    </fieldset>
  )
}

interface FanPointProps {
  point: MapPoint
  offset: { x: number; y: number } | undefined
  isSelected: boolean
  onSelect: (id: string) => void
}

function FanPoint({ point, offset, isSelected, onSelect }: FanPointProps) {
  const { id, title, tone = 'accent', icon, href } = point
  const place = { left: offset?.x, top: offset?.y }
  const drawing = icon ? <Icon of={icon.shape} size={16} /> : null
  if (href)
    return (
      <RouterLink
        to={href}
        className={classes.point ?? ''}
        data-tone={tone}
        aria-label={title}
        title={title}
        style={place}
      >
        {drawing}
      </RouterLink>
    )
  return (
    <button
      type="button"
      className={classes.point}
      data-tone={tone}
      aria-label={title}
      aria-pressed={isSelected}
      title={title}
      style={place}
      onClick={() => onSelect(id)}
    >
      {drawing}
    </button>
  )
}
