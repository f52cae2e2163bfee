import { Outlet } from '@tanstack/react-router'
import { usePageEffects, useShownPath } from './pageEffects.ts'
import type { Layout } from './routes.ts'
import classes from './shell.module.css'

/**
 * Frame of the pages without drawer and toolbar: sign-in and the like (plain); shared maps and tiles (bare).
 */
export function PageFrame({ layout }: { layout: Exclude<Layout, 'shell'> }) {
  const announcement = usePageEffects()
  const shownPath = useShownPath()
  return (
    <>
      <main
        id="main"
        tabIndex={-1}
        className={layout === 'plain' ? classes.plain : classes.bare}
        data-path={shownPath}
      >
        <Outlet />
      </main>
      <div role="status" className={classes.hidden}>
        {announcement}
      </div>
    </>
  )
}
