import {
  IconExternalLink,
  IconPackages,
  IconPlayerPause,
  IconPlayerPlay,
  IconStar,
  IconStarOff,
  IconTrash,
} from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import type { RowAction } from '../../ui/list/types.ts'
import { DeleteDevice } from './DeleteDevice.tsx'
import { setDisabled } from './disable.ts'
import type { DeviceRow } from './queries.ts'

/** The menu of a row of the device list, and the dialog it may open. */
export function useDeviceActions(writer: boolean): {
  rowMenu: (row: DeviceRow) => RowAction[]
  dialog: ReactNode
} {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState<DeviceRow | undefined>(undefined)
  const { data: favorites } = useQuery(api.favorite.list.queryOptions())
  const rowMenu = useCallback(
    (row: DeviceRow): RowAction[] => {
      const open = (tab?: string) =>
        void navigate({ to: `/virtual-devices/${row.id}`, search: tab ? { tab } : {} })
      const known = favorites?.items.find(
        ({ type, objectId }) => type === 'virtualDevice' && objectId === row.id,
      )
      const toggleFavorite = async () => {
        try {
          if (known) await client.favorite.delete({ id: known.id })
          else await client.favorite.create({ type: 'virtualDevice', objectId: row.id })
          notifySuccess(t(known ? 'devices.favoriteRemoved' : 'devices.favoriteAdded', { title: row.title }))
          await Promise.all([
            cache.invalidateQueries({ queryKey: api.favorite.key() }),
            cache.invalidateQueries({ queryKey: api.virtualdevice.list.key() }),
          ])
        } catch (error) {
          notifyError(error)
        }
      }
      return [
        { label: t('devices.open'), icon: IconExternalLink, onClick: () => open() },
        { label: t('devices.tab.packets'), icon: IconPackages, onClick: () => open('packets') },
        {
          label: t(known ? 'favorite.remove' : 'favorite.add'),
          icon: known ? IconStarOff : IconStar,
          onClick: () => void toggleFavorite(),
        },
        {
          label: t(row.disabled ? 'devices.enable' : 'devices.disable'),
          icon: row.disabled ? IconPlayerPlay : IconPlayerPause,
          onClick: () => void setDisabled([row], !row.disabled, cache, t),
          hidden: !writer,
        },
        {
          label: t('devices.delete'),
          icon: IconTrash,
          onClick: () => setDeleting(row),
          danger: true,
          hidden: !writer,
        },
      ]
    },
    [t, cache, navigate, favorites, writer],
  )
  return { rowMenu, dialog: <DeleteDevice device={deleting} onClose={() => setDeleting(undefined)} /> }
}
