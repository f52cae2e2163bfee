import { IconMapPinOff } from '@tabler/icons-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { type MapPoint, MapView } from '../../ui/map/MapView.tsx'
import { Section } from '../../ui/page/Section.tsx'
import type { Device } from './queries.ts'

/** Position of a device that does not report one itself, as entered by a user. */
export function FixedPosition({ device: { title, latitude, longitude } }: { device: Device }) {
  const { t } = useTranslation()
  const points = useMemo<MapPoint[]>(
    () =>
      latitude === null || longitude === null ? [] : [{ id: 'here', title, latitude, longitude, tone: 'ok' }],
    [title, latitude, longitude],
  )
  return (
    <Section title={t('devices.position.title')} description={t('devices.position.text')}>
      {points.length === 0 ? (
        <EmptyState
          icon={IconMapPinOff}
          title={t('devices.position.none')}
          text={t('devices.position.noneText')}
          compact
        />
      ) : (
        <MapView plain height="460px" title={t('devices.position.title')} points={points} />
      )}
    </Section>
  )
}
