import { Alert, CloseButton, Group, Stack, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../display/Icon.tsx'
import { notifyError } from '../feedback/notify.ts'
import { type MapBounds, type MapPoint, MapView, type MapViewProps } from './MapView.tsx'
import type { View } from './view.ts'

/** Members of a group within this many degrees (about ten metres) count as one place. */
const oneSpot = 0.0001

interface ClusterMapProps<Place extends { id: number }>
  extends Pick<
    MapViewProps,
    | 'areas'
    | 'camera'
    | 'corner'
    | 'height'
    | 'layoutNumber'
    | 'markers'
    | 'moves'
    | 'onLayout'
    | 'onSelect'
    | 'panel'
    | 'plain'
    | 'plan'
    | 'points'
    | 'selectedId'
    | 'title'
    | 'withoutBar'
  > {
  /** shown first; later changes do not move the map while the user works with it */
  bounds: MapBounds
  /** set if there are more clusters than these */
  cut: string | undefined
  onView: (view: View) => void
  breakOpen: (id: string) => Promise<{ items: Place[]; total: number; bounds: MapBounds | null }>
  /** heading of the members of a cluster that are all in the same place */
  sameTitle: string
  /** a member as a point around that place */
  toPoint: (place: Place) => MapPoint
  renderPlace: (place: Place) => ReactNode
}

interface Spot<Place> {
  items: Place[]
  total: number
  middle: { latitude: number; longitude: number }
}

/**
 * A map whose clusters come from the server: a click zooms to the members. Those in the same place fan out around it,
 * and are listed beside the map.
 */
export function ClusterMap<Place extends { id: number }>(props: ClusterMapProps<Place>) {
  const { bounds, cut, breakOpen, sameTitle, toPoint, renderPlace, onSelect, panel, ...map } = props
  const [focus, setFocus] = useState(bounds)
  const [spot, setSpot] = useState<Spot<Place>>()
  const close = () => setSpot(undefined)
  const open = async (id: string) => {
    try {
      const { items, total, bounds: inside } = await breakOpen(id)
      if (!inside) return
      const { west, south, east, north } = inside
      // A new object each time: the map moves there again.
      setFocus({ west, south, east, north })
      const isSpot = east - west <= oneSpot && north - south <= oneSpot
      const middle = { latitude: (south + north) / 2, longitude: (west + east) / 2 }
      setSpot(isSpot ? { items, total, middle } : undefined)
    } catch (error) {
      notifyError(error)
    }
  }
  return (
    <>
      {cut ? (
        <Alert variant="light" color="gray" icon={<Icon of={IconInfoCircle} />} mb={12}>
          {cut}
        </Alert>
      ) : null}
      <MapView
        focus={focus}
        onOpen={(id) => void open(id)}
        fan={spot ? { ...spot.middle, points: spot.items.map(toPoint) } : undefined}
        onFanClose={close}
        {...(onSelect ? { onSelect } : {})}
        panel={
          panel ??
          (spot ? (
            <SpotPanel title={sameTitle} spot={spot} renderPlace={renderPlace} onClose={close} />
          ) : undefined)
        }
        {...map}
      />
    </>
  )
}

interface SpotPanelProps<Place> {
  title: string
  spot: Spot<Place>
  renderPlace: (place: Place) => ReactNode
  onClose: () => void
}

/** The members of a cluster in the same place, by name. */
function SpotPanel<Place extends { id: number }>({
  title,
  spot,
  renderPlace,
  onClose,
}: SpotPanelProps<Place>) {
  const { t } = useTranslation()
  const host = useRef<HTMLElement>(null)
  useEffect(() => {
    host.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <section ref={host} aria-label={title}>
      <Group justify="space-between" wrap="nowrap" mb={10}>
        <Text fw={600}>{title}</Text>
        <CloseButton aria-label={t('map.fanClose')} onClick={onClose} />
      </Group>
      <Stack gap={8}>
        {spot.items.map((place) => (
          <div key={place.id}>{renderPlace(place)}</div>
        ))}
        {spot.total > spot.items.length ? (
          <Text size="sm" c="dimmed">
            {t('map.sameMore', { count: spot.total - spot.items.length })}
          </Text>
        ) : null}
      </Stack>
    </section>
  )
}
