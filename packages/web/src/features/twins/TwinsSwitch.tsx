import { IconHierarchy3, IconList, IconMap2 } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Segments } from '../../ui/page/Segments.tsx'
import { twinMapPath } from './kinds.ts'

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
    <Segments
      label={t('twins.view')}
      value={view}
      options={[
        { value: 'tree', label: t('twins.tree'), icon: IconHierarchy3 },
        { value: 'list', label: t('twins.list'), icon: IconList },
        { value: 'map', label: t('twins.map.view'), icon: IconMap2 },
      ]}
      onChange={(next) =>
        void navigate({
          to: paths[next],
          search: (search: Record<string, unknown>) => ({ q: search.q, account: search.account }),
        })
      }
    />
  )
}
