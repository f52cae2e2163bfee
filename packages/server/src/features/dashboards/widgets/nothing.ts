import type { WidgetDefinition } from '@leitstand/contract/dashboards'
import type { Widget } from './types.ts'

/** A kind without data. */
export const nothing: Widget<WidgetDefinition> = {
  check: () => [],
  uses: () => [],
  read: async () => ({}),
  follows: () => [],
}
