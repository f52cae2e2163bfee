import { Group, Text } from '@mantine/core'
import { RouterLink } from '../page/RouterLink.tsx'
import type { MapPoint } from './MapView.tsx'
import classes from './map.module.css'

interface PlaceListProps {
  points: readonly MapPoint[]
  onSelect?: ((id: string | null) => void) | undefined
  onOpen?: ((id: string) => void) | undefined
}

/** Places as a list: for the keyboard, the screen reader, and points in the same place. */
export function PlaceList({ points, onSelect, onOpen }: PlaceListProps) {
  const choose = (point: MapPoint) => {
    if ((point.count ?? 1) > 1) onOpen?.(point.id)
    else onSelect?.(point.id)
  }
  return (
    <ul className={classes.places}>
      {points.map((point) => (
        <li key={point.id}>
          <Group gap={8} wrap="nowrap" align="flex-start">
            <span className={classes.dot} data-tone={point.tone ?? 'accent'} aria-hidden />
            <div style={{ minWidth: 0 }}>
              {point.href ? (
                <RouterLink to={point.href} size="sm" fw={550} c="inherit">
                  {point.title}
                </RouterLink>
              ) : (
                <button type="button" className={classes.place} onClick={() => choose(point)}>
                  {point.title}
                </button>
              )}
              {point.detail ? (
                <Text size="xs" c="dimmed" truncate>
                  {point.detail}
                </Text>
              ) : null}
            </div>
          </Group>
        </li>
      ))}
    </ul>
  )
}
