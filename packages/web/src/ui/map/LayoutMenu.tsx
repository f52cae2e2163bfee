import { ActionIcon, Menu } from '@mantine/core'
import { IconStack2 } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { saveUserDefaults } from '../../lib/session.ts'
import { Icon } from '../Icon.tsx'
import { notifyError } from '../notify.ts'
import { type MapLayout, useMapLayouts } from './layouts.ts'

/** Chooses how maps look, here and from now on: the choice is the user's default. */
export function LayoutMenu({ layout }: { layout: MapLayout }) {
  const { t } = useTranslation()
  const layouts = useMapLayouts()
  const choose = (mapLayout: string) => saveUserDefaults({ mapLayout }).catch(notifyError)
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" aria-label={t('map.layout')}>
          <Icon of={IconStack2} size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={layout.id} onChange={(id) => void choose(id)}>
          {layouts.map(({ id, title }) => (
            <Menu.RadioItem key={id} value={id} closeMenuOnClick>
              {title}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  )
}
