import type { ReactNode } from 'react'
import classes from '../page/layout.module.css'
import { TimesReachable } from './RelativeTime.tsx'

/** A labelled fact: small label above, value below. */
export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <div className={classes.factLabel}>{label}</div>
      <div className={classes.factValue}>
        <TimesReachable value={true}>{children}</TimesReachable>
      </div>
    </div>
  )
}
