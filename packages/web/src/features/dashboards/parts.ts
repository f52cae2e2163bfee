import { IconLayoutDashboard } from '@tabler/icons-react'
import { onDemand } from '../../lib/onDemand.ts'
import type { StateAction } from '../overview/index.ts'

export const putOnDashboard: StateAction = {
  label: 'dashboards.fromStates.open',
  icon: IconLayoutDashboard,
  needs: { subject: 'Dashboards', action: 'manage' },
  Dialog: onDemand(() => import('./fromStates/PutOnDashboard.tsx')),
}
