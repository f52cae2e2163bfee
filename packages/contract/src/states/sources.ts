import * as z from 'zod'
import { aggregate } from './sources/aggregate.ts'
import { connector } from './sources/connector.ts'
import { datarouting } from './sources/datarouting.ts'
import { iothubAggregate } from './sources/iothub-aggregate.ts'
import { none } from './sources/none.ts'
import { platform } from './sources/platform.ts'
import { random } from './sources/random.ts'
import { system } from './sources/system.ts'
import { timeseriesAggregate } from './sources/timeseries-aggregate.ts'
import { virtualDeviceAggregate } from './sources/virtual-device-aggregate.ts'

/** Every kind of source, with the schema of its settings. */
const settingsOf = {
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

export type StateSource = keyof typeof settingsOf

/** Primary names of the sources; aliases from the specification are accepted on input. */
export const stateSources = Object.keys(settingsOf) as [StateSource, ...StateSource[]]

const aliases: Record<string, StateSource> = {
  niotix: 'platform',
  leitstand: 'platform',
  bridge: 'connector',
}

/** Source of a state; `niotix` and `leitstand` mean platform, `bridge` means connector. */
export const StateSource = z.preprocess(
  (value) => (typeof value === 'string' ? (aliases[value] ?? value) : value),
  z.enum(stateSources),
)

type Shapes = { [S in StateSource]: (typeof settingsOf)[S]['shape'] }[StateSource]
type Intersection<T> = (T extends unknown ? (value: T) => void : never) extends (all: infer All) => void
  ? All
  : never

/** Settings of any source. Those that the chosen source does not have are dropped. */
export const SourceSettings = z.object(
  Object.assign({}, ...Object.values(settingsOf).map(({ shape }) => shape)) as Intersection<Shapes>,
)
export type SourceSettings = z.infer<typeof SourceSettings>

/** Settings of one source. */
export type SettingsOf<S extends StateSource> = z.infer<(typeof settingsOf)[S]>

/** A source with only its own settings. */
export type SourceDefinition = {
  [S in StateSource]: { source: S; sourceSettings: SettingsOf<S> }
}[StateSource]

/** The settings that a source has, without those of others. */
export function settingsFor<S extends StateSource>(source: S, settings: SourceSettings): SettingsOf<S> {
  return settingsOf[source].parse(settings) as SettingsOf<S>
}
