import { ActionIcon, Menu } from '@mantine/core'
import { IconStack2 } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { saveUserDefaults, type UserDefaults } from '../../lib/session.ts'
import { Icon } from '../display/Icon.tsx'
import { notifyError } from '../feedback/notify.ts'
import type { MapLayout } from './layouts.ts'
import { useMapLayouts } from './useMapLayouts.ts'

interface LayoutMenuProps {
  layout: MapLayout | undefined
  /** whether buildings are 3D; undefined if the map has none */
  buildings: boolean | undefined
  /** Called with the number of the chosen one, from 1; default: it becomes the user's. */
  onLayout?: ((number: number) => void) | undefined
}

/** Selects the map layout; the choice is stored as the user's default. */
export function LayoutMenu({ layout, buildings, onLayout }: LayoutMenuProps) {
  const { t } = useTranslation()
  const layouts = useMapLayouts()
  const choose = (change: UserDefaults) => void saveUserDefaults(change).catch(notifyError)
  const chooseLayout = (mapLayout: string) => {
    if (onLayout) onLayout(layouts.findIndex(({ id }) => id === mapLayout) + 1)
    else choose({ mapLayout })
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" aria-label={t('map.layout')}>
          <Icon of={IconStack2} size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={layout?.id ?? null} onChange={chooseLayout}>
          {layouts.map(({ id, title }) => (
            <Menu.RadioItem key={id} value={id} closeMenuOnClick>
              {title}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        {buildings === undefined ? null : (
          <>
            <Menu.Divider />
            <Menu.CheckboxItem
              checked={buildings}
              closeMenuOnClick
              onChange={() => choose({ map3DBuild: !buildings })}
            >
              {t('map.buildings')}
            </Menu.CheckboxItem>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
