import { Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './layout.module.css'

interface SectionProps {
  /** anchor for `SectionNav` */
  id?: string
  title?: ReactNode
  description?: ReactNode
  /** Buttons at the right of the title. */
  actions?: ReactNode
  children: ReactNode
  /** Without inner padding, for tables and lists that extend to the border. */
  flush?: boolean
}

/** A bordered box with a heading: the building block of detail pages and forms. */
export function Section({ id, title, description, actions, children, flush = false }: SectionProps) {
  return (
    <section className={classes.section} {...(id === undefined ? {} : { id, tabIndex: -1 })}>
      {title || actions ? (
        <Group justify="space-between" align="flex-start" gap="sm" className={classes.sectionHead}>
          <div className={classes.sectionTitle}>
            {title ? <Title order={2}>{title}</Title> : null}
            {description ? (
              <Text size="sm" c="dimmed">
                {description}
              </Text>
            ) : null}
          </div>
          {actions ? <Group gap={8}>{actions}</Group> : null}
        </Group>
      ) : null}
      <div
        className={flush ? (title || actions ? classes.sectionFlush : undefined) : classes.sectionBody}
        data-headless={!title || undefined}
      >
        {children}
      </div>
    </section>
  )
}
