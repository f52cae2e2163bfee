import { Button, Group, Menu, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { Icon, type IconType } from '../../ui/display/Icon.tsx'
import { RemoveButton } from '../../ui/forms/RemoveButton.tsx'
import classes from './rules.module.css'

interface EntryKind {
  name: string
  label: string
  icon: IconType
  disabled: boolean
  /** Adds an entry of this kind. @returns its id */
  add: () => number
}

interface EntriesProps<Entry extends { id: number }> {
  entries: readonly Entry[]
  titleOf: (entry: Entry) => { icon: IconType; label: string; removeLabel: string }
  onRemove: (entry: Entry) => void
  children: (entry: Entry) => ReactNode
  addLabel: string
  /** the menu of the button; empty: there are as many entries as allowed */
  kinds: readonly EntryKind[]
}

/**
 * A list of parts of a rule, each with its form. A new one gets the focus and is scrolled into view: it pushes the button that
 * added it out of view.
 */
export function Entries<Entry extends { id: number }>(props: EntriesProps<Entry>) {
  const [added, setAdded] = useState<number | null>(null)
  return (
    <div className={classes.entries}>
      {props.entries.map((entry) => {
        const { icon, label, removeLabel } = props.titleOf(entry)
        return (
          <fieldset
            key={entry.id}
            className={classes.entry}
            aria-label={label}
            tabIndex={-1}
            ref={entry.id === added ? showAdded : null}
          >
            <Group justify="space-between" wrap="nowrap">
              <Group gap={8} wrap="nowrap">
                <Icon of={icon} />
                <Text fw={550}>{label}</Text>
              </Group>
              <RemoveButton size={28} label={removeLabel} onClick={() => props.onRemove(entry)} />
            </Group>
            {props.children(entry)}
          </fieldset>
        )
      })}
      {props.kinds.length > 0 ? (
        <Menu position="bottom-start" withinPortal returnFocus={false}>
          <Menu.Target>
            <Button
              size="compact-sm"
              variant="subtle"
              style={{ justifySelf: 'start' }}
              leftSection={<Icon of={IconPlus} size={14} />}
            >
              {props.addLabel}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {props.kinds.map((kind) => (
              <Menu.Item
                key={kind.name}
                leftSection={<Icon of={kind.icon} size={16} />}
                disabled={kind.disabled}
                onClick={() => setAdded(kind.add())}
              >
                {kind.label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      ) : null}
    </div>
  )
}

/** In the middle, because its form is still being loaded. */
function showAdded(entry: HTMLFieldSetElement | null): void {
  entry?.focus({ preventScroll: true })
  entry?.scrollIntoView({ block: 'center' })
}
