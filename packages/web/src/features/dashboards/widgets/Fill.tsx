import type { WidgetDefinition } from '@leitstand/contract/dashboards'
import type { ReactNode } from 'react'
import classes from '../dashboards.module.css'

/** Space for a chart: as high as its widget, which may be higher than requested because of its neighbours. */
export function Fill({ minHeightPx, children }: { minHeightPx: number; children: ReactNode }) {
  return (
    <div className={classes.fill} style={{ minHeight: minHeightPx }}>
      <div className={classes.filled}>{children}</div>
    </div>
  )
}

/** Height left for the content below the header, in px. */
export function contentHeight({ size, hideHeader, floatHeader, title }: WidgetDefinition): number {
  const header = hideHeader || floatHeader || title === '' ? 0 : 40
  return Math.max(120, size.minHeightPx - header - 24)
}
