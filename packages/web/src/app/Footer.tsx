import { Suspense } from 'react'
import { onDemand } from '../lib/onDemand.ts'
import classes from './shell.module.css'

const FooterLinks = onDemand(() => import('../ui/display/FooterLinks.tsx'))

/** Version and the links every page carries. */
export function Footer() {
  return (
    <Suspense>
      <FooterLinks className={classes.footer ?? ''} isSignedIn />
    </Suspense>
  )
}
