import { SegmentedControl } from '@mantine/core'
import { IconList, IconMap2, IconPolygon } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import classes from './assets.module.css'

const paths = {
  assets: '/is-assetmgmt/assets',
  zones: '/is-assetmgmt/zones',
  map: '/is-assetmgmt/map',
} as const
const icons = { assets: IconList, zones: IconPolygon, map: IconMap2 } as const

/** Switches between assets, zones and map, keeping search and accounts. */
export function AssetsSwitch({ view }: { view: keyof typeof paths }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  return (
    <SegmentedControl
      aria-label={t('assets.view')}
      value={view}
      onChange={(next) =>
        void navigate({
          to: paths[next as keyof typeof paths],
          search: (search: Record<string, unknown>) =>
            next === 'zones' || view === 'zones'
              ? { account: search.account }
              : { q: search.q, account: search.account },
        })
      }
      data={(['assets', 'zones', 'map'] as const).map((value) => ({
        value,
        label: (
          <span className={classes.option}>
            <Icon of={icons[value]} size={16} />
            {t(`assets.views.${value}`)}
          </span>
        ),
      }))}
    />
  )
}
