import { ActionIcon, type ActionIconProps } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import type { ComponentPropsWithRef } from 'react'
import { Icon, type IconType } from '../display/Icon.tsx'

type RemoveButtonProps = ActionIconProps &
  Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps> & {
    /** says what is removed */
    label: string
    onClick: () => void
    icon?: IconType
  }

/** Removes the item next to it. Red, like every button that deletes. */
export function RemoveButton({ label, icon = IconTrash, ...rest }: RemoveButtonProps) {
  return (
    <ActionIcon variant="subtle" color="red" aria-label={label} {...rest}>
      <Icon of={icon} size={16} />
    </ActionIcon>
  )
}
