import { Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './home.module.css'

/** A box of the start page with its heading. */
export function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className={classes.box} aria-label={title}>
      <header className={classes.panelHead}>
        <Title order={2}>{title}</Title>
        {aside}
      </header>
      {children}
    </section>
  )
}
