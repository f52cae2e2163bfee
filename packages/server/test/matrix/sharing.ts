import { type Row, row } from './row.ts'
import type { World } from './world.ts'

const key = `lss_${'A'.repeat(43)}`
const range = { startDate: '2026-01-01T00:00:00.000Z', endDate: '2026-01-02T00:00:00.000Z' }
/** Who publishes something is a person acting for themselves. */
const person = { key: '403', impersonated: 'self' } as const

const shared = async (world: World, kind: 'sharing' | 'dashboardSharing') => {
  const { id } = kind === 'sharing' ? await world.twin() : await world.dashboard()
  await world.app.api[kind].createKey({ id })
  return { id }
}

/** Links of one kind of object. */
function links(kind: 'sharing' | 'dashboardSharing', read: Row['needs']): Record<string, Row> {
  const needs = 'PublicSharing manage'
  const target = async (world: World): Promise<{ id: number }> =>
    kind === 'sharing' ? world.twin() : world.dashboard()
  return {
    [`${kind}.canShare`]: row({
      needs: read,
      given: target,
      call: (api, { id }) => api[kind].canShare({ id }),
    }),
    [`${kind}.isShared`]: row({
      needs: read,
      given: target,
      call: (api, { id }) => api[kind].isShared({ id }),
    }),
    // The object itself has to be visible as well.
    [`${kind}.findExistingKey`]: row({
      needs,
      alone: false,
      given: (world) => shared(world, kind),
      call: (api, { id }) => api[kind].findExistingKey({ id }),
    }),
    [`${kind}.createKey`]: row({
      needs,
      alone: false,
      except: person,
      given: target,
      call: (api, { id }) => api[kind].createKey({ id }),
    }),
    [`${kind}.updateKey`]: row({
      needs,
      alone: false,
      except: person,
      given: (world) => shared(world, kind),
      call: (api, { id }) => api[kind].updateKey({ id }),
    }),
    [`${kind}.deleteKey`]: row({
      needs,
      alone: false,
      except: person,
      given: (world) => shared(world, kind),
      call: (api, { id }) => api[kind].deleteKey({ id }),
    }),
  }
}

const visit = (call: Parameters<typeof row>[0]['call']) =>
  row({ needs: 'public', call, reaches: 'SHARE_NOT_FOUND' })

/** Public links: those who create them, and visitors, for whom the key in the address decides. */
export const sharing: Record<string, Row> = {
  ...links('sharing', 'DigitalTwin read'),
  ...links('dashboardSharing', 'Dashboards read'),
  'shared.open': visit((api) => api.shared.open({ key })),
  'shared.unlock': visit((api) => api.shared.unlock({ key, password: 'open sesame' })),
  'shared.twin': visit((api) => api.shared.twin({ key, id: 1 })),
  'shared.children': visit((api) => api.shared.children({ key, id: 1 })),
  'shared.states': visit((api) => api.shared.states({ key, id: 1 })),
  'shared.series': visit((api) => api.shared.series({ key, stateIds: [1], ...range })),
  'shared.mapSettings': visit((api) => api.shared.mapSettings({ key, twinId: 1 })),
  'shared.geoMetaInfos': visit((api) => api.shared.geoMetaInfos({ key, twinId: 1 })),
  'shared.geoClusters': visit((api) => api.shared.geoClusters({ key, twinId: 1, zoom: 3 })),
  'shared.geoClusterBreakOpen': visit((api) =>
    api.shared.geoClusterBreakOpen({ key, twinId: 1, id: '5_50_330_210' }),
  ),
  'shared.floors': visit((api) => api.shared.floors({ key, twinId: 1 })),
  'shared.floorPlan': visit((api) => api.shared.floorPlan({ key, twinId: 1 })),
  'shared.localMap': visit((api) => api.shared.localMap({ key })),
  'shared.dashboard': visit((api) => api.shared.dashboard({ key })),
  'shared.dashboardData': visit((api) =>
    api.shared.dashboardData({ key, dateRangeStart: range.startDate, dateRangeEnd: range.endDate }),
  ),
}
