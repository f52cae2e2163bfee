import { IconList, IconMap2 } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Segments } from '../../ui/page/Segments.tsx'

/** Switches between list and map, keeping search and filters. */
export function ViewSwitch({ view }: { view: 'list' | 'map' }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  return (
    <Segments
      label={t('devices.view.label')}
      value={view}
      options={[
        { value: 'list', label: t('devices.view.list'), icon: IconList },
        { value: 'map', label: t('devices.view.map'), icon: IconMap2 },
      ]}
      onChange={(chosen) =>
        void navigate({
          to: chosen === 'map' ? '/virtual-devices/map' : '/virtual-devices',
          search: (current: Record<string, unknown>) => ({ ...current, page: undefined }),
        })
      }
    />
  )
}
