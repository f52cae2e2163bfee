import type { WidgetDefinition } from '@leitstand/contract/dashboards'
import type { ReactNode } from 'react'
import classes from '../dashboards.module.css'

/** Room for a chart: as high as the widget, which may be higher than it asked for because of its neighbours. */
export function Fill({ minHeightPx, children }: { minHeightPx: number; children: ReactNode }) {
  return (
    <div className={classes.fill} style={{ minHeight: minHeightPx }}>
      <div className={classes.filled}>{children}</div>
    </div>
  )
}

/** Height that is left for the content below the header, in px. */
export function contentHeight({ size, hideHeader, floatHeader, title }: WidgetDefinition): number {
  const header = hideHeader || floatHeader || title === '' ? 0 : 40
  return Math.max(120, size.minHeightPx - header - 24)
}
