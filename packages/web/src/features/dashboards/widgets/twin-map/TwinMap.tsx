import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { Text } from '@mantine/core'
import { IconMapPinOff } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { thingPath } from '../../../../lib/recent.ts'
import type { Tone } from '../../../../ui/display/Badges.tsx'
import { EmptyState } from '../../../../ui/feedback/EmptyState.tsx'
import { MapView } from '../../../../ui/map/MapView.tsx'
import { levelOf, stateText } from '../../../twins/index.ts'
import { contentHeight } from '../Fill.tsx'
import type { ViewProps } from '../types.ts'

const levelTones = {
  ok: 'ok',
  warning: 'warning',
  error: 'error',
  invalid: 'invalid',
} as const satisfies Record<string, Tone>

export default function TwinMap({ definition, data }: ViewProps<WidgetOf<'twin-map'>>) {
  const { t } = useTranslation()
  const { map } = data
  if (!map) return null
  if (map.points.length === 0)
    return (
      <EmptyState
        icon={IconMapPinOff}
        title={t('dashboards.noPlaces')}
        text={t('dashboards.noPlacesText')}
        compact
      />
    )
  return (
    <>
      <MapView
        title={definition.title ? t('dashboards.mapOf', { title: definition.title }) : t('dashboards.map')}
        height={`${contentHeight(definition)}px`}
        plain={definition.size.columns < 6}
        points={map.points.map(({ twinId, title, category, latitude, longitude, state }) => {
          const level = state ? levelOf(state.value, { ...state, lowerBound: null, upperBound: null }) : null
          return {
            id: String(twinId),
            title,
            latitude,
            longitude,
            href: thingPath(category, twinId),
            tone: level ? levelTones[level] : ('accent' as const),
            ...(state ? { detail: `${state.title}: ${stateText(state.value, state)}` } : {}),
          }
        })}
      />
      {map.total > map.points.length ? (
        <Text size="xs" c="dimmed" pt="xs">
          {t('dashboards.mapMore', { shown: map.points.length, total: map.total })}
        </Text>
      ) : null}
    </>
  )
}
