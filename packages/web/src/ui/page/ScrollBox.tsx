import { Box } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from '../ui.module.css'

/** A box that scrolls horizontally (wide tables on a phone) and is reachable by keyboard. */
export function ScrollBox({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Box component="section" className={classes.scroll ?? ''} aria-label={label} tabIndex={0}>
      {children}
    </Box>
  )
}
