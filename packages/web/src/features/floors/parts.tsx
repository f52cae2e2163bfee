import { onDemand } from '../../lib/onDemand.ts'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { TwinProps } from '../twins/index.ts'

const PlanTab = onDemand(() => import('./PlanTab.tsx'))

/** The plan of a floor, and where it lies on the map. */
export const floorPlanTab: PageTab<TwinProps> = {
  key: 'plan',
  label: 'floors.tab',
  before: 'data',
  isShown: (_, { twin }) => twin.type === 'floor',
  Content: ({ twin }) => <PlanTab key={twin.id} twin={twin} />,
}
