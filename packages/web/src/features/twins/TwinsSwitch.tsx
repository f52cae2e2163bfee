import { SegmentedControl } from '@mantine/core'
import { IconHierarchy3, IconList, IconMap2 } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { twinMapPath } from './kinds.ts'
import classes from './twins.module.css'

const paths = {
  tree: '/digitaltwin-mgmt',
  list: '/digitaltwin-mgmt/list',
  map: twinMapPath(0),
} as const

/** Switches between tree, flat list and map, keeping search and accounts. */
export function TwinsSwitch({ view }: { view: keyof typeof paths }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  return (
    <SegmentedControl
      aria-label={t('twins.view')}
      value={view}
      onChange={(next) =>
        void navigate({
          to: paths[next as keyof typeof paths],
          search: (search: Record<string, unknown>) => ({ q: search.q, account: search.account }),
        })
      }
      data={[
        { value: 'tree', label: <Option icon={IconHierarchy3} label={t('twins.tree')} /> },
        { value: 'list', label: <Option icon={IconList} label={t('twins.list')} /> },
        { value: 'map', label: <Option icon={IconMap2} label={t('twins.map.view')} /> },
      ]}
    />
  )
}

function Option({ icon, label }: { icon: typeof IconList; label: string }) {
  return (
    <span className={classes.switchOption}>
      <Icon of={icon} size={16} />
      {label}
    </span>
  )
}
