import { ActionIcon, type ActionIconVariant, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { Icon } from './Icon.tsx'
import type { RowAction } from './list/types.ts'

interface ActionMenuProps {
  /** Hidden ones are left out; without any there is no menu. */
  actions: readonly RowAction[]
  /** What the button is called, with the name of what the actions are for. */
  label: string
  /** Edge of the button in px. */
  size?: number
  variant?: ActionIconVariant
  tabIndex?: number
}

/** Three dots that open the actions of a row or a thing. */
export function ActionMenu({ actions, label, size = 28, ...button }: ActionMenuProps) {
  const shown = actions.filter((action) => !action.hidden)
  if (shown.length === 0) return null
  return (
    <Menu withinPortal>
      <Menu.Target>
        <ActionIcon {...button} aria-label={label} size={size}>
          <Icon of={IconDots} />
        </ActionIcon>
      </Menu.Target>
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
