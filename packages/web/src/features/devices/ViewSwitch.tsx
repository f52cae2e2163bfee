import { SegmentedControl } from '@mantine/core'
import { IconList, IconMap2 } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import classes from './devices.module.css'

/** Switches between list and map, keeping search and filters. */
export function ViewSwitch({ view }: { view: 'list' | 'map' }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const option = (value: 'list' | 'map') => ({
    value,
    label: (
      <span className={classes.viewOption}>
        <Icon of={value === 'list' ? IconList : IconMap2} size={16} />
        <span>{t(`devices.view.${value}`)}</span>
      </span>
    ),
  })
  return (
    <SegmentedControl
      value={view}
      aria-label={t('devices.view.label')}
      data={[option('list'), option('map')]}
      onChange={(chosen) =>
        void navigate({
          to: chosen === 'map' ? '/virtual-devices/map' : '/virtual-devices',
          search: (current: Record<string, unknown>) => ({ ...current, page: undefined }),
        })
      }
    />
  )
}
