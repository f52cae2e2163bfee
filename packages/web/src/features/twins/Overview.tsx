import type { Twin } from '@leitstand/contract/twins'
import { Anchor } from '@mantine/core'
import { useInViewport } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { boundsOfArea } from '../../ui/map/area.ts'
import { MapView } from '../../ui/map/MapView.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { SlotParts } from '../../ui/page/SlotParts.tsx'
import { twinIcon, twinMapPath, twinPath } from './kinds.ts'
import { WorstLevel } from './levels/WorstLevel.tsx'
import { stateOrigins, twinNotices } from './slots.ts'
import { StateTiles } from './states/StateTiles.tsx'
import { useTwinTone } from './states/useTwinTone.ts'
import classes from './twins.module.css'

/** A twin at a glance: open alarms, current values, and what is directly below it. */
export function Overview({ twin }: { twin: Twin }) {
  const { t } = useTranslation()
  const isPlace = twin.stateCount === 0 && twin.childCount > 0
  return (
    <div className={classes.overview}>
      <SlotParts slot={twinNotices} props={{ twin }} />
      {isPlace ? null : (
        <StateTiles
          objectId={twin.id}
          title={twin.title}
          editable={twin.editable}
          foot={({ id, source }) =>
            source === 'none' ? null : (
              <SlotParts slot={stateOrigins} props={{ twinId: twin.id, stateId: id }} />
            )
          }
          emptyAction={
            twin.editable ? (
              <Anchor component={RouterLink} to={`${twinPath(twin.id)}?tab=states`}>
                {t('twins.toStates')}
              </Anchor>
            ) : null
          }
        />
      )}
      {twin.childCount > 0 ? <Below twin={twin} /> : null}
      {isPlaced(twin) ? <Place twin={twin} /> : null}
    </div>
  )
}

const isPlaced = ({ latitude, longitude, geoPolygon }: Twin) =>
  geoPolygon !== null || (latitude !== null && longitude !== null)

/** Where the twin is, and its polygon. The map is loaded when it comes into view. */
function Place({ twin }: { twin: Twin }) {
  const { t } = useTranslation()
  const { ref, inViewport } = useInViewport()
  const [wanted, setWanted] = useState(false)
  if (inViewport && !wanted) setWanted(true)
  return (
    <Section
      title={t('masterData.place')}
      actions={
        <RouterLink to={twinMapPath(twin.id)} size="sm">
          {t('twins.map.show')}
        </RouterLink>
      }
    >
      <div ref={ref} style={{ minHeight: placeHeight }}>
        {wanted ? <PlaceMap twin={twin} /> : null}
      </div>
    </Section>
  )
}

const placeHeight = 260

function PlaceMap({ twin }: { twin: Twin }) {
  const { t } = useTranslation()
  const { id, title, latitude, longitude, geoPolygon } = twin
  const tone = useTwinTone(id)
  const points = useMemo(
    () =>
      latitude === null || longitude === null ? [] : [{ id: String(id), latitude, longitude, title, tone }],
    [id, latitude, longitude, title, tone],
  )
  const areas = useMemo(() => (geoPolygon ? [{ polygon: geoPolygon, tone }] : []), [geoPolygon, tone])
  const [focus] = useState(() => (geoPolygon ? boundsOfArea(geoPolygon) : undefined))
  return (
    <MapView
      plain
      height={`${placeHeight}px`}
      title={t('twins.mapOf', { title })}
      points={points}
      areas={areas}
      focus={focus}
    />
  )
}

/** Children shown; all others are in their tab. */
const shown = 12

function Below({ twin }: { twin: Twin }) {
  const { t } = useTranslation()
  const query = useQuery(api.digitaltwin.children.queryOptions({ input: { id: twin.id, limit: shown } }))
  return (
    <Section
      title={t('twins.tabs.children')}
      actions={
        twin.childCount > shown ? (
          <RouterLink to={`${twinPath(twin.id)}?tab=children`} size="sm">
            {t('twins.allChildren', { count: twin.childCount })}
          </RouterLink>
        ) : null
      }
    >
      {query.isPending ? <Loading lines={2} /> : null}
      {query.isLoadingError ? <ErrorText error={query.error} /> : null}
      {query.data ? (
        <ul className={classes.below}>
          {query.data.items.map((child) => (
            <li key={child.id}>
              <Icon of={twinIcon(child)} />
              <RouterLink to={twinPath(child.id)}>{child.title}</RouterLink>
              <WorstLevel twin={child} />
              {child.disabled ? <StatusBadge tone="unknown" label={t('twins.isDisabled')} /> : null}
            </li>
          ))}
        </ul>
      ) : null}
    </Section>
  )
}
