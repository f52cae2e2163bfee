import type { ReactNode } from 'react'
import { formatNumber } from '../../lib/format.ts'
import { HealthBadge } from './Badges.tsx'
import classes from './healthCounts.module.css'

/** The worst first. */
const order = [2, 1, 0, 3, 4] as const
/** Shown only where there are any. */
const invalid = 4

export interface HealthTile {
  className: string
  'data-empty': true | undefined
  children: ReactNode
}

interface HealthCountsProps {
  label: string
  counts: readonly { health: number; count: number }[]
  /** Healths that are shown even without devices. */
  kept?: readonly string[]
  /** Makes the link or button of a health. */
  tile: (health: number, props: HealthTile) => ReactNode
  /** After the tiles. */
  children?: ReactNode
}

/** Counts of devices by health. */
export function HealthCounts({ label, counts, kept = [], tile, children }: HealthCountsProps) {
  const countOf = (health: number) => counts.find((each) => each.health === health)?.count ?? 0
  return (
    <section className={classes.strip} aria-label={label}>
      {order
        .filter((health) => health !== invalid || countOf(health) > 0 || kept.includes(String(health)))
        .map((health) => {
          const count = countOf(health)
          const content = (
            <>
              <span className={classes.statCount}>{formatNumber(count, 0)}</span>
              <HealthBadge health={health} />
            </>
          )
          return tile(health, {
            className: classes.stat ?? '',
            'data-empty': count === 0 || undefined,
            children: content,
          })
        })}
      {children}
    </section>
  )
}
