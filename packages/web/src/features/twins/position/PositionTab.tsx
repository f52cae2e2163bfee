import { Button, Group, Text } from '@mantine/core'
import { IconRoute } from '@tabler/icons-react'
import { type ReactNode, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Range, readRange } from '../../../lib/range.ts'
import { useUrlSearch } from '../../../lib/url.ts'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { type MapArea, type MapBounds, MapView } from '../../../ui/map/MapView.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { TimeRange } from '../../../ui/page/TimeRange.tsx'
import { boundsAround } from './bounds.ts'
import { PlaceTable } from './PlaceTable.tsx'
import { type Moving, type Place, pointsOf } from './places.ts'
import classes from './position.module.css'
import { type Category, useTrack } from './track.ts'

interface PositionTabProps {
  category: Category
  object: Moving
  areas?: readonly MapArea[]
  /** shown if none of the states reports a position */
  fixed: ReactNode
}

/** Current and past positions of a twin or device: its track on a map, and a table. */
export function PositionTab({ category, object, areas = [], fixed }: PositionTabProps) {
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
  const track = useTrack(category, object.id, range)
  if (track.places === undefined)
    return (
      <Section title={t('positions.title')}>
        {track.error ? (
          <ErrorState error={track.error} onRetry={track.retry} compact />
        ) : (
          <Loading lines={8} />
        )}
      </Section>
    )
  if (!track.reports) return fixed
  return (
    <Section
      title={t('positions.title')}
      description={t('positions.text')}
      actions={<TimeRange value={range} onChange={change} />}
    >
      <Track
        object={object}
        areas={areas}
        places={track.places}
        view={track.view}
        older={track.older}
        loadingOlder={track.loadingOlder}
      />
    </Section>
  )
}

interface TrackProps {
  object: Moving
  areas: readonly MapArea[]
  /** oldest first */
  places: readonly Place[]
  view: string | undefined
  older: (() => void) | undefined
  loadingOlder: boolean
}

function Track({ object, areas, places, view, older, loadingOlder }: TrackProps) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState<string | null>(null)
  const here = useCurrentPlace(object)
  const points = useMemo(
    () => pointsOf(object, here, places, chosen, t('positions.here')),
    [object, here, places, chosen, t],
  )
  // Refit only when the view changes: new positions must not move the map while the user reads it.
  const [focused, setFocused] = useState<{ view: string; bounds: MapBounds | undefined }>()
  if (view !== undefined && focused?.view !== view)
    setFocused({ view, bounds: boundsAround(here ? [...places, here] : places) })
  if (!here && places.length === 0)
    return <EmptyState icon={IconRoute} title={t('positions.nothing')} compact />
  return (
    <div className={classes.sides}>
      <MapView
        plain
        height="460px"
        title={t('positions.title')}
        points={points}
        areas={areas}
        track={places}
        focus={focused?.bounds}
        selectedId={chosen}
        onSelect={(id) => setChosen(id === 'here' ? null : id)}
      />
      <div className={classes.places}>
        <Group justify="space-between" mb={6}>
          <Text size="sm" fw={600}>
            {t('positions.places', { count: places.length })}
          </Text>
        </Group>
        {places.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('positions.nothing')}
          </Text>
        ) : (
          <PlaceTable places={places} chosen={chosen} onChoose={setChosen} />
        )}
        {older ? (
          <Button variant="default" mt="sm" loading={loadingOlder} onClick={older}>
            {t('positions.older')}
          </Button>
        ) : null}
      </div>
    </div>
  )
}

function useCurrentPlace({ latitude, longitude }: Moving) {
  return useMemo(
    () => (latitude === null || longitude === null ? null : { latitude, longitude }),
    [latitude, longitude],
  )
}
