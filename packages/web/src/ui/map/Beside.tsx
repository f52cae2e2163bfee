import { Text } from '@mantine/core'
import type { CSSProperties, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { MapPoint, MapViewProps } from './MapView.tsx'
import classes from './map.module.css'
import { PlaceList } from './PlaceList.tsx'

/** Maximum places listed below the map. */
export const listedMax = 100

interface BesideProps {
  panel: ReactNode
  plain: boolean
  height: string
  listed: readonly MapPoint[]
  onSelect: MapViewProps['onSelect'] | undefined
  onOpen: MapViewProps['onOpen'] | undefined
}

/** Beside the map: the panel, or the list of the places in view. */
export function Beside({ panel, plain, height, listed, onSelect, onOpen }: BesideProps) {
  const { t } = useTranslation()
  if (panel)
    return (
      <div className={classes.panel} style={{ '--map-height': height } as CSSProperties}>
        {panel}
      </div>
    )
  if (plain) return null
  return (
    <nav className={classes.list} aria-label={t('map.list')} style={{ maxHeight: height }}>
      <Text size="sm" fw={600} px="sm" py={8}>
        {t('map.inView', { count: listed.length })}
      </Text>
      {listed.length === 0 ? (
        <Text size="sm" c="dimmed" px="sm">
          {t('map.none')}
        </Text>
      ) : (
        <PlaceList points={listed.slice(0, listedMax)} onSelect={onSelect} onOpen={onOpen} />
      )}
      {listed.length > listedMax ? (
        <Text size="xs" c="dimmed" p="sm">
          {t('map.more', { count: listed.length - listedMax })}
        </Text>
      ) : null}
    </nav>
  )
}
