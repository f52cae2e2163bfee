import type { TicketType } from '@leitstand/contract/tickets'
import { IconBolt, IconDots, IconDroplet, IconFlame, IconTool, IconTrash } from '@tabler/icons-react'
import type { IconType } from '../../ui/display/Icon.tsx'

/** How types of tickets are shown. */
export const typeIcons: Readonly<Record<TicketType, IconType>> = {
  defect: IconTool,
  pollution: IconTrash,
  waterLeakage: IconDroplet,
  powerFailure: IconBolt,
  heatingFailure: IconFlame,
  other: IconDots,
}
