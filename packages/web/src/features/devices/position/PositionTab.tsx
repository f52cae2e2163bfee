import { Button, Group, Text } from '@mantine/core'
import { IconMapPinOff, IconRoute } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Range, readRange } from '../../../lib/range.ts'
import { useUrlSearch } from '../../../lib/url.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { Loading } from '../../../ui/Loading.tsx'
import { type MapBounds, type MapPoint, MapView } from '../../../ui/MapView.tsx'
import { Section } from '../../../ui/Section.tsx'
import { TimeRange } from '../../../ui/TimeRange.tsx'
import type { Device } from '../queries.ts'
import { PlaceTable } from './PlaceTable.tsx'
import classes from './position.module.css'
import { boundsAround, keyOf, nameOf, type Place, useTrack } from './track.ts'

/** Where the device is and was: its way on a map, the places beside it. */
export function PositionTab({ device }: { device: Device }) {
  const { t } = useTranslation()
  const [search, update] = useUrlSearch()
  const range = readRange(search, '7d')
  const change = (next: Range) =>
    update(
      'preset' in next
        ? { range: next.preset, from: undefined, to: undefined }
        : {
            range: undefined,
            from: new Date(next.fromMs).toISOString(),
            to: new Date(next.toMs).toISOString(),
          },
    )
  const track = useTrack(device.id, range)
  return (
    <Section
      title={t('devices.position.title')}
      description={t(track.reports ? 'devices.position.text' : 'devices.position.fixedText')}
      actions={track.reports ? <TimeRange value={range} onChange={change} /> : null}
    >
      {track.error && track.places === undefined ? (
        <ErrorState error={track.error} onRetry={track.retry} compact />
      ) : track.places === undefined ? (
        <Loading lines={8} />
      ) : (
        <Track
          device={device}
          places={track.places}
          view={track.view}
          reports={track.reports}
          older={track.older}
          loadingOlder={track.loadingOlder}
        />
      )}
    </Section>
  )
}

interface TrackProps {
  device: Device
  /** oldest first */
  places: readonly Place[]
  view: string | undefined
  reports: boolean
  older: (() => void) | undefined
  loadingOlder: boolean
}

function Track({ device, places, view, reports, older, loadingOlder }: TrackProps) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState<string | null>(null)
  const here = useCurrentPlace(device)
  const points = useMemo(
    () => pointsOf(device, here, places, chosen, t('devices.position.here')),
    [device, here, places, chosen, t],
  )
  // Only when others are looked at: a device on its way must not pull the map from under the one who reads it.
  const [focused, setFocused] = useState<{ view: string; bounds: MapBounds | undefined }>()
  if (view !== undefined && focused?.view !== view)
    setFocused({ view, bounds: boundsAround(here ? [...places, here] : places) })
  if (!here && places.length === 0)
    return reports ? (
      <EmptyState icon={IconRoute} title={t('devices.position.nothing')} compact />
    ) : (
      <EmptyState
        icon={IconMapPinOff}
        title={t('devices.position.none')}
        text={t('devices.position.noneText')}
        compact
      />
    )
  return (
    <div className={classes.sides} data-alone={!reports || undefined}>
      <MapView
        plain
        height="460px"
        title={t('devices.position.title')}
        points={points}
        track={places}
        focus={focused?.bounds}
        selectedId={chosen}
        onSelect={(id) => setChosen(id === 'here' ? null : id)}
      />
      {reports ? (
        <div className={classes.places}>
          <Group justify="space-between" mb={6}>
            <Text size="sm" fw={600}>
              {t('devices.position.places', { count: places.length })}
            </Text>
          </Group>
          {places.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t('devices.position.nothing')}
            </Text>
          ) : (
            <PlaceTable places={places} chosen={chosen} onChoose={setChosen} />
          )}
          {older ? (
            <Button variant="default" mt="sm" loading={loadingOlder} onClick={older}>
              {t('devices.position.older')}
            </Button>
          ) : null}
        </div>
      ) : null}
    </div>
  )
}

function useCurrentPlace({ latitude, longitude }: Device) {
  return useMemo(
    () => (latitude === null || longitude === null ? null : { latitude, longitude }),
    [latitude, longitude],
  )
}

/** The device itself, and the place that was chosen. */
function pointsOf(
  device: Device,
  here: { latitude: number; longitude: number } | null,
  places: readonly Place[],
  chosen: string | null,
  hereText: string,
): MapPoint[] {
  const place = places.find((each) => keyOf(each) === chosen)
  return [
    ...(here ? [{ id: 'here', ...here, title: device.title, detail: hereText, tone: 'ok' as const }] : []),
    ...(place ? [{ id: keyOf(place), ...place, title: nameOf(place), tone: 'warning' as const }] : []),
  ]
}
