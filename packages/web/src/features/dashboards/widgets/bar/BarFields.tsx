import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { TimeChartFields } from '../TimeChartFields.tsx'
import type { FieldsProps } from '../types.ts'

export default function BarFields(props: FieldsProps<WidgetOf<'bar'>>) {
  return <TimeChartFields {...props} />
}
