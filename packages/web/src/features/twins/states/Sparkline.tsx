import classes from './states.module.css'
import { type Curve, sparkPath } from './values.ts'

/** Width of the line's coordinate system; it is stretched to the requested width. */
const boxWidth = 120

/**
 * A small line next to a value, without axes; nothing if there are too few points. `width`, `height` in px.
 */
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
