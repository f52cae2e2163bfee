import { type RefObject, useMemo } from 'react'
import type { MapPoint } from './MapView.tsx'

interface IconDrawingsProps {
  host: RefObject<HTMLDivElement | null>
  points: readonly MapPoint[]
}

/** The icons of points, hidden in the page: the map makes its pictures of them, see `useMarkerIcons`. */
export function IconDrawings({ host, points }: IconDrawingsProps) {
  const icons = useMemo(
    () => [...new Map(points.flatMap(({ icon }) => (icon ? [[icon.name, icon] as const] : []))).values()],
    [points],
  )
  return (
    <div ref={host} hidden>
      {icons.map(({ name, shape: Shape }) => (
        <span key={name} data-icon={name}>
          <Shape />
        </span>
      ))}
    </div>
  )
}
