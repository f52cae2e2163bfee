import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { TimeChart } from '../TimeChart.tsx'
import type { ViewProps } from '../types.ts'

export default function BarView(props: ViewProps<WidgetOf<'bar'>>) {
  return <TimeChart {...props} />
}
