import type { MapSettings, ValidMapSettings } from '@leitstand/contract/mapSettings'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '../../../lib/api.ts'
import { plainSettings } from './plainSettings.ts'

export interface ShownSettings {
  /** undefined while loading */
  settings: MapSettings | undefined
  /** those of the twin; undefined for a map of all twins */
  valid: ValidMapSettings | undefined
  /** the person has changed them for this visit */
  isOwn: boolean
  /** Changes them for this visit; null: those of the twin again. */
  change: (settings: MapSettings | null) => void
}

/** The settings of the map of a twin, or what a person has made of them for this visit. */
export function useMapSettings(twinId: number): ShownSettings {
  const { data, isError } = useQuery(
    api.digitaltwin.mapSettings.queryOptions({
      input: { id: twinId },
      enabled: twinId > 0,
      staleTime: 60_000,
    }),
  )
  const [visit, setVisit] = useState<{ twinId: number; settings: MapSettings }>()
  const own = visit?.twinId === twinId ? visit.settings : undefined
  const settings = own ?? (twinId === 0 || isError ? plainSettings : data?.settings)
  return useMemo(
    () => ({
      settings,
      valid: data,
      isOwn: own !== undefined,
      change: (next) => setVisit(next === null ? undefined : { twinId, settings: next }),
    }),
    [settings, data, own, twinId],
  )
}
