import { ActionIcon, type ActionIconVariant, Button, Menu } from '@mantine/core'
import { IconChevronDown, IconDots } from '@tabler/icons-react'
import { type Ref, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { Icon } from '../display/Icon.tsx'
import type { RowAction } from '../list/types.ts'
import classes from '../ui.module.css'

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

/** A three-dot menu with the actions of a row or an object. A list has dozens, so it is mounted when it is first opened. */
export function ActionMenu({ actions, label, size = 28, ...button }: ActionMenuProps) {
  const [mounted, setMounted] = useState(false)
  const [opened, setOpened] = useState(false)
  const wasOpened = useRef(false)
  const id = useId()
  const shown = visible(actions)
  if (shown.length === 0) return null
  const toggle = () => {
    // Mounted closed, so that it knows to which element the focus returns.
    if (!mounted) flushSync(() => setMounted(true))
    setOpened(!wasOpened.current)
    wasOpened.current = false
  }
  return (
    <span className={classes.menuAnchor}>
      <ActionIcon
        {...button}
        id={id}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={opened}
        size={size}
        // The press closes an open menu, and the click must not open it again.
        onPointerDown={() => {
          wasOpened.current = opened
        }}
        onClick={toggle}
      >
        <Icon of={IconDots} />
      </ActionIcon>
      {mounted ? (
        <Menu withinPortal opened={opened} onChange={setOpened}>
          <Menu.Target>
            <Place />
          </Menu.Target>
          <Entries actions={shown} labelledBy={id} />
        </Menu>
      ) : null}
    </span>
  )
}

/** Where the menu opens: over the button, which has the roles that the menu would give to it. */
function Place({ ref }: { ref?: Ref<HTMLSpanElement> }) {
  return <span ref={ref} />
}

/**
 * The button "More" of a page, with less frequent actions. Hidden actions are left out; without any there is
 * no button.
 */
export function MoreMenu({ actions }: { actions: readonly RowAction[] }) {
  const { t } = useTranslation()
  const shown = visible(actions)
  if (shown.length === 0) return null
  return (
    <Menu withinPortal>
      <Menu.Target>
        <Button variant="default" rightSection={<Icon of={IconChevronDown} size={16} />}>
          {t('common.more')}
        </Button>
      </Menu.Target>
      <Entries actions={shown} />
    </Menu>
  )
}

const visible = (actions: readonly RowAction[]) => actions.filter((action) => !action.hidden)

function Entries({ actions, labelledBy }: { actions: readonly RowAction[]; labelledBy?: string }) {
  return (
    <Menu.Dropdown {...(labelledBy === undefined ? {} : { 'aria-labelledby': labelledBy })}>
      {actions.map((action) => (
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
  )
}
