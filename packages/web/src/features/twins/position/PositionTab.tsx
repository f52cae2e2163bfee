import { Button, Group, Text } from '@mantine/core'
import { IconRoute } from '@tabler/icons-react'
import { type ReactNode, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Range } from '../../../lib/range.ts'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { type MapArea, type MapBounds, MapView } from '../../../ui/map/MapView.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { TimeRange } from '../../../ui/page/TimeRange.tsx'
import { boundsAround } from './bounds.ts'
import { momentWords, toneOfMoment } from './momentWords.ts'
import { PlaceTable } from './PlaceTable.tsx'
import { PlaybackBar } from './PlaybackBar.tsx'
import { keyOf, type Moving, type Place } from './places.ts'
import { momentAt, periodOf, placeAt, trackUntil, usualGap } from './playback.ts'
import classes from './position.module.css'
import { type Category, useTrack } from './track.ts'
import { usePlayback } from './usePlayback.ts'
import { useTrackRange } from './useTrackRange.ts'

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
  const [range, change] = useTrackRange()
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
        range={range}
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
  range: Range
  /** oldest first */
  places: readonly Place[]
  view: string | undefined
  older: (() => void) | undefined
  loadingOlder: boolean
}

function Track({ object, areas, range, places, view, older, loadingOlder }: TrackProps) {
  const { t } = useTranslation()
  const here = useCurrentPlace(object)
  const playback = usePlayback(JSON.stringify(range), periodOf([places]))
  const { atMs, toMs } = playback
  const [chosenGap, setGap] = useState<number>()
  const gapMs = chosenGap ?? usualGap(places)
  const tracks = useMemo(() => trackUntil(places, atMs, gapMs), [places, atMs, gapMs])
  const moment = useMemo(() => (atMs === null ? null : momentAt(places, atMs, gapMs)), [places, atMs, gapMs])
  const points = useMemo(() => {
    const own = { id: 'object', title: object.title }
    if (atMs !== null) return moment ? [{ ...own, ...moment, tone: toneOfMoment(moment) }] : []
    return here ? [{ ...own, ...here, detail: t('positions.here'), tone: 'ok' as const }] : []
  }, [object.title, here, t, atMs, moment])
  const seen = atMs === null ? undefined : placeAt(places, atMs)
  // Refit only when the view changes: new positions must not move the map while the user reads it.
  const [focused, setFocused] = useState<{ view: string; bounds: MapBounds | undefined }>()
  if (view !== undefined && focused?.view !== view)
    setFocused({ view, bounds: boundsAround(here ? [...places, here] : places) })
  if (!here && places.length === 0)
    return <EmptyState icon={IconRoute} title={t('positions.nothing')} compact />
  return (
    <div className={classes.sides}>
      <div className={classes.played}>
        <MapView
          plain
          height="460px"
          title={t('positions.title')}
          points={points}
          areas={areas}
          tracks={tracks}
          focus={focused?.bounds}
        />
        {playback.fromMs < toMs ? (
          <PlaybackBar
            playback={playback}
            tracks={[places]}
            gapMs={gapMs}
            onGap={setGap}
            words={momentWords(moment, atMs ?? toMs, t)}
          />
        ) : null}
      </div>
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
          <PlaceTable
            places={places}
            chosen={seen ? keyOf(seen) : null}
            onChoose={(key) => playback.show(key === null ? null : Date.parse(key))}
          />
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
