import type { GeoBounds } from '@leitstand/contract/geo'
import { Group, Text } from '@mantine/core'
import { IconMapPinOff } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { Fragment, type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { EmptyState } from '../feedback/EmptyState.tsx'
import { ErrorState } from '../feedback/ErrorState.tsx'
import { Loading } from '../feedback/Loading.tsx'
import { type MapBounds, preloadMap } from './MapView.tsx'

interface Extent {
  total: number
  placed: number
  bounds: GeoBounds | null
}

interface MapPageProps {
  heading: ReactNode
  /** opposite the heading */
  actions: ReactNode
  /** above the map, e.g. filters */
  above: ReactNode
  extent: UseQueryResult<Extent, Error>
  /** what the extent is of: the map is fitted again when it changes */
  asked: object
  /** instead of the extent, e.g. of a floor plan on which nothing has a position yet */
  around?: MapBounds | undefined
  /** if nothing has a position */
  none: { title: string; text: string }
  children: (bounds: MapBounds) => ReactNode
}

/** A page with a map of many things: heading, number of things with a position, filters, and the map. */
export function MapPage(props: MapPageProps) {
  const { extent, none } = props
  const { t } = useTranslation()
  useEffect(preloadMap, [])
  // Fitted only once the new bounds are known.
  const asked = JSON.stringify(props.asked)
  const [fitted, setFitted] = useState<{ asked: string; bounds: MapBounds }>()
  const bounds = extent.data && (extent.data.bounds ?? props.around)
  if (bounds && !extent.isPlaceholderData && fitted?.asked !== asked) setFitted({ asked, bounds })
  return (
    <>
      <Group justify="space-between" align="flex-start" mb={16} gap={12}>
        <Group gap={10} align="baseline">
          {props.heading}
          {extent.data ? (
            <Text span c="dimmed" className="tabular">
              {t('map.placed', {
                placed: formatNumber(extent.data.placed, 0),
                total: formatNumber(extent.data.total, 0),
              })}
            </Text>
          ) : null}
        </Group>
        {props.actions}
      </Group>
      {props.above}
      <div style={{ marginTop: 12 }}>
        {extent.isError && !extent.data ? (
          <ErrorState error={extent.error} onRetry={() => void extent.refetch()} />
        ) : !extent.data ? (
          <Loading />
        ) : !bounds ? (
          <EmptyState icon={IconMapPinOff} title={none.title} text={none.text} />
        ) : fitted ? (
          <Fragment key={fitted.asked}>{props.children(fitted.bounds)}</Fragment>
        ) : null}
      </div>
    </>
  )
}
