import { IconCpu, IconHierarchy3, IconLayoutDashboard, IconStack2 } from '@tabler/icons-react'
import type { RecentKind } from '../../lib/recentEntries.ts'
import type { IconType } from '../../ui/display/Icon.tsx'

export const kindIcons: Record<RecentKind, IconType> = {
  digitalTwin: IconHierarchy3,
  virtualDevice: IconCpu,
  dashboard: IconLayoutDashboard,
  smartGroup: IconStack2,
}
