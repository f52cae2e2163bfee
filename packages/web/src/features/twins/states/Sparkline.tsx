import classes from './states.module.css'
import { type Curve, sparkPath } from './values.ts'

/** What the line is drawn in, stretched to the width asked for. */
const boxWidth = 120

/** A small curve beside a value, without axes; nothing where there is too little to draw. `width`, `height` in px. */
export function Sparkline({ points, width, height }: { points: Curve; width: number; height: number }) {
  const path = sparkPath(points, boxWidth, height)
  if (path === '') return null
  return (
    <svg
      className={classes.spark}
      width={width}
      height={height}
      viewBox={`0 0 ${boxWidth} ${height}`}
      preserveAspectRatio="none"
      aria-hidden
      focusable="false"
    >
      <path d={path} fill="none" vectorEffect="non-scaling-stroke" />
    </svg>
  )
}
