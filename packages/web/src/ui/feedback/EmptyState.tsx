import { Stack, Text, Title } from '@mantine/core'
import { IconFilterOff, IconInbox } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Icon, type IconType } from '../display/Icon.tsx'
import classes from '../ui.module.css'

interface EmptyStateProps {
  title: string
  /** What this is for, in one or two sentences. */
  text?: ReactNode
  /** The first action, usually a button. */
  action?: ReactNode
  icon?: IconType
  /** `filtered`: there are items, but none match. */
  kind?: 'empty' | 'filtered'
  compact?: boolean
  /** Heading level; 1 if this is the whole page. */
  order?: 1 | 2 | 3
}

/** Nothing here yet (shows the purpose and the first action), or nothing that matches the filter. */
export function EmptyState({
  title,
  text,
  action,
  icon,
  kind = 'empty',
  compact = false,
  order = 2,
}: EmptyStateProps) {
  return (
    <Stack
      align="center"
      gap={12}
      py={compact ? 24 : 56}
      px="md"
      className={classes.centered}
      data-has-action={action ? true : undefined}
    >
      <span className={classes.emptyIcon}>
        <Icon of={icon ?? (kind === 'filtered' ? IconFilterOff : IconInbox)} size={22} />
      </span>
      <Title order={order} size={order === 1 ? 'h1' : 'h3'} ta="center" c="var(--text)">
        {title}
      </Title>
      {text ? (
        <Text c="dimmed" ta="center" maw={460} size="sm">
          {text}
        </Text>
      ) : null}
      {action}
    </Stack>
  )
}
