import {
  type SettingsOf,
  type SourceDefinition,
  type StateSource,
  stateSources,
} from '@leitstand/contract/states'
import { aggregate } from './aggregate/index.ts'
import { connector } from './connector/index.ts'
import { datarouting } from './datarouting/index.ts'
import { iothubAggregate } from './iothub-aggregate/index.ts'
import { none } from './none/index.ts'
import { platform } from './platform/index.ts'
import { random } from './random/index.ts'
import { system } from './system/index.ts'
import { timeseriesAggregate } from './timeseries-aggregate/index.ts'
import type { CheckedSource, SourceKind, SourceOwner } from './types.ts'
import { virtualDeviceAggregate } from './virtual-device-aggregate/index.ts'

const sources: { readonly [S in StateSource]: SourceKind<SettingsOf<S>> } = {
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

/** Whether values of the source are computed from other states. */
export const isAggregate = (source: StateSource): boolean => sources[source].isAggregate

/** Whether rules may set states with this source. */
export const isSettable = (source: StateSource): boolean => sources[source].isSettable

/** The sources whose values are computed from other states. */
export const aggregateSources: readonly StateSource[] = stateSources.filter(isAggregate)

/** The sources that take what is sent to an address. */
export const listeningSources: readonly StateSource[] = stateSources.filter(
  (source) => sources[source].listens,
)

/** The settings of a source with other states in place of those they name. */
export function withStates<S extends StateSource>(
  source: S,
  settings: SettingsOf<S>,
  stateIdOf: (id: number) => number,
): SettingsOf<S> {
  return sources[source].withStates?.(settings, stateIdOf) ?? settings
}

/** A source with other states in place of those it names. */
export function withSourceStates(
  { source, sourceSettings }: SourceDefinition,
  stateIdOf: (id: number) => number,
): SourceDefinition {
  return { source, sourceSettings: withStates(source, sourceSettings, stateIdOf) } as SourceDefinition
}

/** Checks the settings of a source and maps them to columns. @throws AppError VALIDATION_ERROR with `field` */
export function checkSource<S extends StateSource>(
  source: S,
  settings: SettingsOf<S>,
  owner: SourceOwner,
): CheckedSource {
  return sources[source].check(settings, owner)
}
