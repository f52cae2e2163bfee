import type { Floor } from '@leitstand/contract/floors'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { MapBounds, MapPlan } from '../../ui/map/MapView.tsx'
import { boundsOfPlan } from '../../ui/map/planCorners.ts'

/** What the map shows of a floor. */
export interface ShownFloor {
  /** missing without a plan, or if its picture could not be loaded */
  plan: MapPlan | undefined
  /** of the plan */
  bounds: MapBounds | undefined
  /** The map can be shown: there is nothing to wait for. */
  isReady: boolean
}

/** The plan of a floor with its picture. @param load the picture; its content never changes for a file */
export function useShownFloor(floor: Floor | undefined, load: (floor: Floor) => Promise<Blob>): ShownFloor {
  const overlay = floor?.overlay ?? undefined
  const picture = useQuery({
    queryKey: ['picture', overlay?.fileId],
    queryFn: () => load(floor as Floor),
    enabled: overlay !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [made, setMade] = useState<{ of: Blob; url: string }>()
  const { data } = picture
  useEffect(() => {
    if (!data) return undefined
    const url = URL.createObjectURL(data)
    setMade({ of: data, url })
    return () => URL.revokeObjectURL(url)
  }, [data])
  const url = made !== undefined && made.of === data ? made.url : undefined
  return useMemo(() => {
    if (!overlay) return { plan: undefined, bounds: undefined, isReady: true }
    return {
      plan: url === undefined ? undefined : { url, corners: overlay.corners, opacity: overlay.opacity },
      bounds: boundsOfPlan(overlay.corners),
      isReady: url !== undefined || picture.isError,
    }
  }, [overlay, url, picture.isError])
}
