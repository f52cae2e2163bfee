import type { ReactNode } from 'react'
import { formatNumber, formatValue } from '../lib/format.ts'
import classes from './layout.module.css'
import { RelativeTime } from './RelativeTime.tsx'

interface ValueTileProps {
  label: string
  value: unknown
  unit?: string | null
  /** Fixed decimals; else as many as make sense. */
  decimals?: number | null
  /** Time of the value. */
  time?: string | number | null
  /** Small part at the right of the label: a badge, a menu. */
  aside?: ReactNode
}

/** A current value in large type with its unit and age. New values replace the text without moving the layout. */
export function ValueTile({ label, value, unit, decimals, time, aside }: ValueTileProps) {
  const fixed = typeof value === 'number' && decimals !== null && decimals !== undefined
  return (
    <div className={classes.tile}>
      <div style={{ display: 'flex', justifyContent: 'space-between', gap: 8 }}>
        <span className={classes.tileLabel} title={label}>
          {label}
        </span>
        {aside}
      </div>
      <div className={classes.tileValue}>
        {fixed ? formatNumber(value, decimals) : formatValue(value)}
        {unit && value !== null && value !== undefined ? (
          <span className={classes.tileUnit}>{unit}</span>
        ) : null}
      </div>
      <div className={classes.tileFoot}>
        <RelativeTime time={time} />
      </div>
    </div>
  )
}
