import type { Metric, OwnOperation } from '@leitstand/contract/rules'
import type { ComponentType } from 'react'

type Related = Extract<Metric, { operation: 'related' }>
type OwnMetric = Extract<Metric, { operation: OwnOperation }>

/** Fields of metrics without a state while they are edited. */
export interface OwnFields {
  clock: Extract<Metric, { operation: 'clock' }>['clock']
  property: string
  position: Extract<Metric, { operation: 'position' }>['position']
  /** of the point to which a distance is measured */
  latitude: number | null
  longitude: number | null
  of: Related['of']
  stateKey: string
  over: Related['over']
  across: NonNullable<Related['across']>
  /** what `over` covers */
  window: 'none' | 'values' | 'minutes'
  amount: number
}

export interface OwnFieldsProps {
  value: OwnFields
  onChange: (fields: OwnFields) => void
  /** error text of a field */
  faultAt: (field: string) => string | null
}

/** What only a metric without a state has. */
export interface OwnKind {
  /** the fields of the input, besides those that all metrics have */
  toInput(fields: OwnFields): DistributiveOmit<OwnMetric, 'alias' | 'abortIfNull'>
  /** a field that is missing or wrong, and a key below `rules.faults` */
  fault?(fields: OwnFields): { field: keyof OwnFields; key: string } | null
  Fields: ComponentType<OwnFieldsProps>
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** One kind of metric: a folder next to this file. Its name is `rules.operations.<operation>`. */
export interface MetricKind {
  /** it requires a window of values or minutes */
  readonly needsWindow: boolean
  /** it is about twins that exist: not for templates */
  readonly ofTwins?: true
  /** absent: it is of a state */
  readonly own?: OwnKind
}
