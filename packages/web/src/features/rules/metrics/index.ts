import type { MetricOperation } from '@leitstand/contract/rules'
import { avg } from './avg/index.ts'
import { clock } from './clock/index.ts'
import { count } from './count/index.ts'
import { difference } from './difference/index.ts'
import { first } from './first/index.ts'
import { latest } from './latest/index.ts'
import { max } from './max/index.ts'
import { median } from './median/index.ts'
import { min } from './min/index.ts'
import { position } from './position/index.ts'
import { property } from './property/index.ts'
import { related } from './related/index.ts'
import { sum } from './sum/index.ts'
import type { MetricKind } from './types.ts'

/** All kinds of metrics, in the form's order. */
export const metricKinds: Readonly<Record<MetricOperation, MetricKind>> = {
  latest,
  avg,
  min,
  max,
  sum,
  median,
  count,
  first,
  difference,
  clock,
  property,
  position,
  related,
}

export const metricOperations = Object.keys(metricKinds) as MetricOperation[]
