import { useQuery } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { loadFile } from '../../ui/display/pictures.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import type { TwinMapFloorsProps } from '../twins/index.ts'
import { FloorPicker } from './FloorPicker.tsx'
import { useShownFloor } from './useShownFloor.ts'

/** The floors of the twin on the map: one of them can be chosen, and lies on the map with its plan. */
export function FloorsOnMap({ twinId, chosen, onChoose, children }: TwinMapFloorsProps) {
  const query = useQuery(api.floor.list.queryOptions({ input: { id: twinId }, enabled: twinId > 0 }))
  const floors = query.data?.items ?? []
  const floor = floors.find((each) => each.twinId === chosen)
  const { plan, bounds, isReady } = useShownFloor(floor, ({ overlay }) => loadFile(overlay?.fileId ?? 0))
  // The map begins where the plan is.
  if (chosen !== null && (query.isLoading || !isReady)) return <Loading lines={10} />
  return (
    <>
      {query.isLoadingError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
      ) : null}
      {children({
        picker: <FloorPicker floors={floors} chosen={floor?.twinId ?? null} onChoose={onChoose} />,
        floorId: floor?.twinId ?? null,
        plan,
        bounds,
      })}
    </>
  )
}
