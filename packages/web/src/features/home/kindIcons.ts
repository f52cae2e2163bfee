import {
  IconBuildingWarehouse,
  IconCpu,
  IconHierarchy3,
  IconKey,
  IconLayoutDashboard,
  IconSpeakerphone,
  IconStack2,
  IconTicket,
} from '@tabler/icons-react'
import type { RecentKind } from '../../lib/recentEntries.ts'
import type { IconType } from '../../ui/display/Icon.tsx'

export const kindIcons: Record<RecentKind, IconType> = {
  digitalTwin: IconHierarchy3,
  virtualDevice: IconCpu,
  dashboard: IconLayoutDashboard,
  smartGroup: IconStack2,
  ticket: IconTicket,
  asset: IconBuildingWarehouse,
  warnMonitor: IconSpeakerphone,
  lock: IconKey,
}
