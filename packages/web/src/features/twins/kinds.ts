import type { TwinType } from '@leitstand/contract/twins'
import {
  IconArmchair,
  IconBuilding,
  IconCpu,
  IconDoor,
  IconHierarchy3,
  IconNavigation,
  IconPolygon,
  IconStairs,
} from '@tabler/icons-react'
import type { IconType } from '../../ui/display/Icon.tsx'
import { thingIcon } from '../../ui/display/icons.ts'

/** Icon of each type of twin. */
export const typeIcons: Readonly<Record<TwinType, IconType>> = {
  default: IconHierarchy3,
  building: IconBuilding,
  sensor: IconCpu,
  room: IconArmchair,
  door: IconDoor,
  zone: IconPolygon,
  floor: IconStairs,
  trackable: IconNavigation,
}

/** How often lists ask again for the levels of twins. */
export const levelEveryMs = 30_000

/** Types of what is on a floor, or is one. */
export const floorTypes: ReadonlySet<TwinType> = new Set(['default', 'sensor', 'room', 'door', 'floor'])

/** Types in display order; the same as the contract's, without loading its schemas. */
export const twinTypeNames = Object.keys(typeIcons) as TwinType[]

/** The icon of a twin: its own, else that of its type. */
export function twinIcon(twin: { icon: string | null; type: TwinType }): IconType {
  return thingIcon(twin.icon, typeIcons[twin.type])
}

/** Address of a twin's page. */
export function twinPath(id: number): string {
  return `/digitaltwin-mgmt/${id}`
}

/** The map of a twin and everything below it; 0: of all twins. */
export function twinMapPath(id: number): string {
  return `/digitaltwin-mgmt/map/twin/${id}`
}
