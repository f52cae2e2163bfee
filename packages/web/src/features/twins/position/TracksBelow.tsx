import { Text } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { rangeEnds } from '../../../lib/range.ts'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { MapView } from '../../../ui/map/MapView.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { TimeRange } from '../../../ui/page/TimeRange.tsx'
import { twinPath } from '../kinds.ts'
import { boundsAround } from './bounds.ts'
import { momentWords, toneOfMoment } from './momentWords.ts'
import { PlaybackBar } from './PlaybackBar.tsx'
import type { Place } from './places.ts'
import { momentAt, periodOf, trackUntil, usualGap } from './playback.ts'
import classes from './position.module.css'
import { usePlayback } from './usePlayback.ts'
import { useTrackRange } from './useTrackRange.ts'

/** Tracks shown at once. */
const tracksMax = 20
/** Places of each, the newest. */
const placesMax = 2_000

interface Tracked {
  id: number
  title: string
  places: readonly Place[]
}

/** How the trackable twins below a twin moved, all at once; nothing if there are none. */
export default function TracksBelow({ twinId }: { twinId: number }) {
  const { t } = useTranslation()
  const [range, change] = useTrackRange()
  const below = useQuery(
    api.digitaltwin.list.queryOptions({ input: { belowId: twinId, types: ['trackable'], limit: tracksMax } }),
  )
  const [openedAtMs] = useState(() => Date.now())
  const { fromMs, toMs } = rangeEnds(range, openedAtMs)
  const [start, end] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()]
  const twins = below.data?.items ?? []
  const loaded = useQueries({
    queries: twins.map(({ id }) =>
      api.digitaltwin.geoHistory.queryOptions({ input: { id, start, end, limit: placesMax }, retry: false }),
    ),
    combine: (histories) => ({
      pending: histories.some(({ isPending }) => isPending),
      cut: histories.some(({ data }) => data?.more),
      tracks: histories.map(({ data }) => data?.items ?? []),
    }),
  })
  if (twins.length === 0) return null
  const tracked = twins.flatMap(({ id, title }, index) => {
    const places = loaded.tracks[index] ?? []
    return places.length > 0 ? [{ id, title, places }] : []
  })
  const isMore = (below.data?.total ?? 0) > tracksMax
  return (
    <Section
      title={t('playback.below')}
      description={t('playback.belowText')}
      actions={<TimeRange value={range} onChange={change} />}
    >
      {loaded.pending ? (
        <Loading lines={8} />
      ) : tracked.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('playback.belowNothing')}
        </Text>
      ) : (
        <Tracks key={`${start} ${end}`} tracked={tracked} />
      )}
      {isMore || loaded.cut ? (
        <Text size="xs" c="dimmed" mt="sm">
          {isMore ? t('playback.belowMore', { count: tracksMax, total: below.data?.total }) : null}{' '}
          {loaded.cut ? t('playback.belowCut', { count: placesMax }) : null}
        </Text>
      ) : null}
    </Section>
  )
}

function Tracks({ tracked }: { tracked: readonly Tracked[] }) {
  const { t } = useTranslation()
  const tracks = useMemo(() => tracked.map(({ places }) => places), [tracked])
  const playback = usePlayback('', periodOf(tracks))
  const { atMs, toMs } = playback
  const shownMs = atMs ?? toMs
  const [chosenGap, setGap] = useState<number>()
  const gapMs = chosenGap ?? Math.max(...tracks.map(usualGap))
  const [focus] = useState(() => boundsAround(tracks.flat()))
  const lines = useMemo(
    () => tracks.flatMap((places) => trackUntil(places, atMs, gapMs)),
    [tracks, atMs, gapMs],
  )
  const moments = tracked.map(({ id, title, places }) => ({
    id,
    title,
    moment: momentAt(places, shownMs, gapMs),
  }))
  return (
    <div className={classes.sides}>
      <div className={classes.played}>
        <MapView
          plain
          height="460px"
          title={t('playback.below')}
          tracks={lines}
          focus={focus}
          // Keeps those that meet apart.
          onOpen={() => undefined}
          points={moments.flatMap(({ id, title, moment }) =>
            moment
              ? [
                  {
                    id: String(id),
                    title,
                    value: title,
                    latitude: moment.latitude,
                    longitude: moment.longitude,
                    tone: toneOfMoment(moment),
                    detail: momentWords(moment, shownMs, t),
                    href: twinPath(id),
                  },
                ]
              : [],
          )}
        />
        <PlaybackBar
          playback={playback}
          tracks={tracks}
          gapMs={gapMs}
          onGap={setGap}
          words={t('playback.moving', {
            count: moments.filter(({ moment }) => moment?.motion === 'moves').length,
          })}
        />
      </div>
      <ul className={classes.list}>
        {moments.map(({ id, title, moment }) => (
          <li key={id} className={classes.place}>
            <RouterLink to={twinPath(id)}>{title}</RouterLink>
            <span className={classes.degrees}>{momentWords(moment, shownMs, t)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
