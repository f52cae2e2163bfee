import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './dialogFoot.module.css'

/** The buttons of a dialog. On a phone they stay in reach while its content is scrolled. */
export function DialogFoot({ children }: { children: ReactNode }) {
  return (
    <Group justify="flex-end" gap={8} className={classes.foot ?? ''}>
      {children}
    </Group>
  )
}
