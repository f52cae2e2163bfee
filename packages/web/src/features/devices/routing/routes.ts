import type { SourceSettings, State } from '@leitstand/contract/states'
import type { DataRoute as Route } from '@leitstand/contract/virtualdevices'
import { useQueryClient } from '@tanstack/react-query'
import { api, client } from '../../../lib/api.ts'

export type DataRoute = Route

/** The page of a route's target. */
export function pathOf({ category, twinId }: DataRoute): string {
  return category === 'digitalTwin' ? `/digitaltwin-mgmt/${twinId}?tab=states` : `/virtual-devices/${twinId}`
}

/** Removes a route. The state keeps its values; without another source it has none. */
export async function cutRoute({ stateId, sourceStateId }: DataRoute): Promise<void> {
  const state = await client.state.get({ id: stateId })
  const settings: SourceSettings = state.sourceSettings
  const stateIds = (settings.stateIds ?? []).filter((id) => id !== sourceStateId)
  await client.state.update(
    stateIds.length === 0
      ? { ...state, source: 'none', sourceSettings: {} }
      : ({ ...state, sourceSettings: { ...settings, stateIds } } as State),
  )
}

/** A new state of a twin, fed by a state of the device. */
export interface NewRoute {
  sourceStateId: number
  twinId: number
  title: string
  key: string
}

export async function createRoute({ sourceStateId, twinId, title, key }: NewRoute): Promise<void> {
  const { unit, icon, valueType, decimals, lowerBound, upperBound, visualization } = await client.state.get({
    id: sourceStateId,
  })
  await client.state.create({
    dtwinId: twinId,
    key,
    title,
    unit,
    icon,
    valueType,
    decimals,
    lowerBound,
    upperBound,
    visualization,
    source: 'virtual-device-aggregate',
    sourceSettings: { stateIds: [sourceStateId], method: 'latest' },
  })
}

/** Feeds a state without a source from one of the device's states. */
export async function feedState(sourceStateId: number, stateId: number): Promise<void> {
  const state = await client.state.get({ id: stateId })
  await client.state.update({
    ...state,
    source: 'virtual-device-aggregate',
    sourceSettings: { stateIds: [sourceStateId], method: 'latest' },
  })
}

/** Invalidates what a change of routes affects: the device's routes and the twin's states. */
export function useRoutesChanged(deviceId: number): (twinId: number) => Promise<void> {
  const cache = useQueryClient()
  return async (twinId) => {
    await Promise.all([
      cache.invalidateQueries({ queryKey: api.virtualdevice.dataRoutes.key() }),
      cache.invalidateQueries({
        queryKey: api.virtualdevice.dependencies.key({ input: { id: deviceId } }),
      }),
      cache.invalidateQueries({ queryKey: api.digitaltwin.states.key({ input: { id: twinId } }) }),
    ])
  }
}
