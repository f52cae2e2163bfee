import {
  IconExternalLink,
  IconPackages,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useFavoriteAction } from '../../ui/display/useFavoriteAction.ts'
import type { RowAction } from '../../ui/list/types.ts'
import { DeleteDevice } from './DeleteDevice.tsx'
import { setDisabled } from './disable.ts'
import type { DeviceRow } from './queries.ts'

const listKey = api.virtualdevice.list.key()

/** The menu of a row of the device list, and the dialog it may open. */
export function useDeviceActions(writer: boolean): {
  rowMenu: (row: DeviceRow) => RowAction[]
  dialog: ReactNode
} {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState<DeviceRow | undefined>(undefined)
  const favorite = useFavoriteAction('virtualDevice', listKey)
  const rowMenu = useCallback(
    (row: DeviceRow): RowAction[] => {
      const open = (tab?: string) =>
        void navigate({ to: `/virtual-devices/${row.id}`, search: tab ? { tab } : {} })
      return [
        { label: t('devices.open'), icon: IconExternalLink, onClick: () => open() },
        { label: t('devices.tab.packets'), icon: IconPackages, onClick: () => open('packets') },
        favorite(row),
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
    [t, cache, navigate, favorite, writer],
  )
  return { rowMenu, dialog: <DeleteDevice device={deleting} onClose={() => setDeleting(undefined)} /> }
}
