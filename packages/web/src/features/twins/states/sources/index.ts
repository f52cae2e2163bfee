import { type SourceDefinition, type StateSource, stateSources } from '@leitstand/contract/states'
import type { Category, StateForm } from '../form.ts'
import { aggregate } from './aggregate/index.ts'
import { connector } from './connector/index.ts'
import { datarouting } from './datarouting/index.ts'
import { iothubAggregate } from './iothub-aggregate/index.ts'
import { none } from './none/index.ts'
import { platform } from './platform/index.ts'
import { random } from './random/index.ts'
import { system } from './system/index.ts'
import { timeseriesAggregate } from './timeseries-aggregate/index.ts'
import type { ConsoleSource } from './types.ts'
import { virtualDeviceAggregate } from './virtual-device-aggregate/index.ts'

export const sources: { readonly [S in StateSource]: ConsoleSource<S> } = {
  none,
  platform,
  connector,
  aggregate,
  'iothub-aggregate': iothubAggregate,
  'timeseries-aggregate': timeseriesAggregate,
  'virtual-device-aggregate': virtualDeviceAggregate,
  random,
  system,
  datarouting,
}

/** Whether the value is computed from other states. */
export const isAggregate = (source: StateSource): boolean =>
  ['aggregate', 'timeseries'].includes(sources[source].fields)

/** Available sources, including the current one. */
export function sourcesFor(category: Category, current?: StateSource): StateSource[] {
  const placeOf = (source: StateSource) => sources[source].offered[category] ?? Number.POSITIVE_INFINITY
  return stateSources
    .filter((source) => sources[source].offered[category] !== undefined || source === current)
    .sort((a, b) => placeOf(a) - placeOf(b))
}

/** The source in the form, without settings of other sources. */
export function definitionOf(form: StateForm): SourceDefinition {
  const { source } = form
  // TypeScript does not relate the two fields; each folder is checked against its own source.
  return { source, sourceSettings: sources[source].settings(form) } as SourceDefinition
}
