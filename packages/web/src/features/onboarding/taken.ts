import type { DeviceValues } from '../devices/index.ts'
import type { Template } from '../templates/index.ts'

type Content = NonNullable<Template['productive']>
type Entered = Pick<DeviceValues, 'tags' | 'groups' | 'icon' | 'keyValues'>

/** The values of a template for a new device; what the user has entered stays. */
export function taken(
  content: Pick<Content, 'driverId' | 'driverVersion' | 'tags' | 'groups' | 'icon' | 'properties'>,
  { tags, groups, icon, keyValues }: Entered,
) {
  const defaults = Object.fromEntries(content.properties.map(({ key, defaultValue }) => [key, defaultValue]))
  return {
    driverId: String(content.driverId),
    driverVersion: content.driverVersion === null ? null : String(content.driverVersion),
    tags: tags.length > 0 ? tags : content.tags,
    groups: groups.length > 0 ? groups : content.groups,
    icon: icon ?? content.icon,
    keyValues: { ...defaults, ...keyValues },
  }
}
