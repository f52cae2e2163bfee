import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { TimeChart } from '../TimeChart.tsx'
import type { ViewProps } from '../types.ts'

export default function LineView(props: ViewProps<WidgetOf<'line'>>) {
  const { smooth, area } = props.definition.chartOptions
  return <TimeChart {...props} smooth={smooth} area={area} />
}
