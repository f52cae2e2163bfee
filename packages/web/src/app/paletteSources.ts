import { filterFound } from '@leitstand/contract/search'
import {
  IconBinary,
  IconBolt,
  IconCpu,
  IconHierarchy3,
  IconLayoutDashboard,
  IconListDetails,
  IconPlugConnected,
  IconStack2,
  IconTag,
  IconTemplate,
  IconUser,
} from '@tabler/icons-react'
import { client } from '../lib/api.ts'
import { thingPath } from '../lib/recent.ts'
import type { IconType } from '../ui/display/Icon.tsx'

/** A thing that the server found. */
export interface Found {
  path: string
  label: string
  /** what tells it from others with this name */
  detail: string
}

/** One kind of things in the palette. Its name is the text `palette.kinds.<key>`. */
export interface PaletteSource {
  key: string
  icon: IconType
  /** users find only the kinds whose screen they may open */
  screen: string
  find: (search: string) => Promise<Found[]>
}

/** Hits shown per kind. */
const limit = 5

export const sources: readonly PaletteSource[] = [
  {
    key: 'twin',
    icon: IconHierarchy3,
    screen: '/digitaltwin-mgmt',
    find: async (search) => {
      const { items } = await client.digitaltwin.list({ search, limit })
      return items.map((twin) => ({
        path: `/digitaltwin-mgmt/${twin.id}`,
        label: twin.title,
        detail: twin.parentTitle ?? '',
      }))
    },
  },
  {
    key: 'device',
    icon: IconCpu,
    screen: '/virtual-devices',
    find: async (search) => {
      const { items } = await client.virtualdevice.list({ search_items: search, limit })
      return items.map((device) => ({
        path: `/virtual-devices/${device.id}`,
        label: device.title,
        detail: device.externalId,
      }))
    },
  },
  {
    key: 'group',
    icon: IconStack2,
    screen: '/virtual-device-groups',
    find: async (search) => {
      const { items } = await client.smartGroup.list({ search, limit })
      return items.map(({ id, title, accountName }) => ({
        path: `/virtual-device-groups/${id}`,
        label: title,
        detail: accountName,
      }))
    },
  },
  {
    key: 'dashboard',
    icon: IconLayoutDashboard,
    screen: '/dashboards',
    find: async (search) => {
      const { items } = await client.dashboards.list({ search, limit })
      return items.map(({ id, name, accountName }) => ({
        path: `/dashboards/${id}`,
        label: name,
        detail: accountName,
      }))
    },
  },
  {
    key: 'rule',
    icon: IconBolt,
    screen: '/digitaltwin/rules-monitor',
    find: async (search) => {
      const { items } = await client.ddr.overviewList({ search, limit })
      return items.map((rule) => ({
        path:
          rule.dtwinId === null
            ? `/digitaltwin/rules-monitor?twins=${rule.id}`
            : `${thingPath(rule.twinCategory, rule.dtwinId)}?tab=rules&rule=${rule.id}`,
        label: rule.title,
        detail: rule.template?.title ?? rule.twinTitle,
      }))
    },
  },
  {
    key: 'driver',
    icon: IconBinary,
    screen: '/virtual-device-drivers',
    find: async (search) => {
      const { items } = await client.devicedrivers.list({ search, limit })
      return items.map(({ id, title, manufacturer }) => ({
        path: `/virtual-device-drivers/${id}`,
        label: title,
        detail: manufacturer,
      }))
    },
  },
  {
    key: 'template',
    icon: IconTemplate,
    screen: '/device-templates',
    find: async (search) => {
      const { items } = await client.deviceTemplate.list({ search, limit })
      return items.map(({ id, title, driverTitle }) => ({
        path: `/device-templates/${id}`,
        label: title,
        detail: driverTitle,
      }))
    },
  },
  {
    key: 'connector',
    icon: IconPlugConnected,
    screen: '/connectors/list',
    find: async (search) => {
      const { items } = await client.bridge.list({ search, limit })
      return items.map(({ id, name, accountId, accountName }) => ({
        path: `/connectors/edit/${accountId}/${id}`,
        label: name,
        detail: accountName,
      }))
    },
  },
  {
    key: 'user',
    icon: IconUser,
    screen: '/account-mgmt/user/$tenantId/$id',
    find: async (search) => {
      const { items } = await client.user.list({ search, limit })
      return items.map((user) => ({
        path: `/account-mgmt/user/${user.accountId}/${user.id}`,
        label: [user.firstName, user.lastName].filter(Boolean).join(' ') || user.username,
        detail: user.email || user.username,
      }))
    },
  },
  {
    key: 'job',
    icon: IconListDetails,
    screen: '/background-jobs',
    find: async (search) => {
      const { items } = await client.job.list({ search, limit })
      return items.map(({ id, title, user }) => ({
        path: `/background-jobs?job=${id}`,
        label: title,
        detail: user,
      }))
    },
  },
  {
    key: 'tag',
    icon: IconTag,
    screen: '/virtual-devices',
    find: (search) => findTags('/virtual-devices', client.virtualdevice.tagsZones(), search),
  },
  {
    key: 'twinTag',
    icon: IconTag,
    screen: '/digitaltwin-mgmt',
    find: (search) => findTags('/digitaltwin-mgmt/list', client.digitaltwin.tagsZones(), search),
  },
]

async function findTags(list: string, known: Promise<{ tags: string[] }>, search: string): Promise<Found[]> {
  const { tags } = await known
  return filterFound(tags, search, (tag) => [tag])
    .slice(0, limit)
    .map((tag) => ({ path: `${list}?tag=${encodeURIComponent(tag)}`, label: tag, detail: '' }))
}
