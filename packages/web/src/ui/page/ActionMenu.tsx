import { ActionIcon, type ActionIconVariant, Button, Menu } from '@mantine/core'
import { IconChevronDown, IconDots } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../display/Icon.tsx'
import type { RowAction } from '../list/types.ts'

interface ActionMenuProps {
  /** Hidden actions are left out; without any there is no menu. */
  actions: readonly RowAction[]
  /** Label of the button, including the object's name. */
  label: string
  /** Size of the button in px. */
  size?: number
  variant?: ActionIconVariant
  tabIndex?: number
}

/** A three-dot menu with the actions of a row or an object. */
export function ActionMenu({ actions, label, size = 28, ...button }: ActionMenuProps) {
  return (
    <Actions actions={actions}>
      <ActionIcon {...button} aria-label={label} size={size}>
        <Icon of={IconDots} />
      </ActionIcon>
    </Actions>
  )
}

/**
 * The button "More" of a page, with less frequent actions. Hidden actions are left out; without any there is
 * no button.
 */
export function MoreMenu({ actions }: { actions: readonly RowAction[] }) {
  const { t } = useTranslation()
  return (
    <Actions actions={actions}>
      <Button variant="default" rightSection={<Icon of={IconChevronDown} size={16} />}>
        {t('common.more')}
      </Button>
    </Actions>
  )
}

function Actions({ actions, children }: { actions: readonly RowAction[]; children: ReactNode }) {
  const shown = actions.filter((action) => !action.hidden)
  if (shown.length === 0) return null
  return (
    <Menu withinPortal>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        {shown.map((action) => (
          <Menu.Item
            key={action.label}
            leftSection={<Icon of={action.icon} size={16} />}
            onClick={action.onClick}
            {...(action.danger ? { color: 'red' } : {})}
          >
            {action.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
