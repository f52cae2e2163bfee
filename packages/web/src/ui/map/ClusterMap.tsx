import { Alert, Modal, Stack, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../display/Icon.tsx'
import { notifyError } from '../feedback/notify.ts'
import { type MapBounds, MapView, type MapViewProps } from './MapView.tsx'
import type { View } from './view.ts'

/** Members of a group within this many degrees (about ten metres) count as one place. */
const oneSpot = 0.0001

interface ClusterMapProps<Place extends { id: number }>
  extends Pick<
    MapViewProps,
    | 'areas'
    | 'camera'
    | 'height'
    | 'layoutNumber'
    | 'markers'
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
  renderPlace: (place: Place, close: () => void) => ReactNode
}

/** A map whose clusters come from the server: a click zooms to the members, or lists those in the same place. */
export function ClusterMap<Place extends { id: number }>(props: ClusterMapProps<Place>) {
  const { bounds, cut, breakOpen, sameTitle, renderPlace, ...map } = props
  const { t } = useTranslation()
  const [focus, setFocus] = useState(bounds)
  const [spot, setSpot] = useState<{ items: Place[]; total: number }>()
  const close = () => setSpot(undefined)
  const open = async (id: string) => {
    try {
      const { items, total, bounds: inside } = await breakOpen(id)
      if (inside && (inside.east - inside.west > oneSpot || inside.north - inside.south > oneSpot))
        setFocus(inside)
      else setSpot({ items, total })
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
      <MapView focus={focus} onOpen={(id) => void open(id)} {...map} />
      <Modal opened={spot !== undefined} onClose={close} title={sameTitle}>
        <Stack gap={8}>
          {spot?.items.map((place) => (
            <div key={place.id}>{renderPlace(place, close)}</div>
          ))}
          {spot && spot.total > spot.items.length ? (
            <Text size="sm" c="dimmed">
              {t('map.sameMore', { count: spot.total - spot.items.length })}
            </Text>
          ) : null}
        </Stack>
      </Modal>
    </>
  )
}
