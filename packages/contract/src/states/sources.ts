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
export const settingsOf = {
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

/** Names of the specification that are accepted for a source. */
const aliases: Partial<Record<string, readonly string[]>> = {
  platform: ['niotix', 'leitstand'],
  connector: ['bridge'],
}

type Fields<S extends string, Settings extends z.ZodObject> = {
  source: z.ZodType<S, S>
  sourceSettings: z.ZodDefault<Settings>
}

/**
 * States of several sources, distinguished by `source`, with the settings of the source and the given fields.
 * @param settings schemas of the settings by source
 */
export function sourced<
  Shape extends z.ZodRawShape,
  Settings extends Partial<Record<StateSource, z.ZodObject>>,
>(shape: Shape, settings: Settings) {
  type Option = {
    [S in keyof Settings & StateSource]: Settings[S] extends z.ZodObject
      ? z.ZodObject<Shape & Fields<S, Settings[S]>>
      : never
  }[keyof Settings & StateSource]
  const options = Object.entries(settings).map(([source, schema]) =>
    z.object({ ...shape, source: named(source), sourceSettings: schema.default({}) }),
  )
  return z.discriminatedUnion('source', options as unknown as [Option, ...Option[]])
}

function named(source: string) {
  const others = aliases[source]
  return others ? z.literal([source, ...others]).transform(() => source) : z.literal(source)
}

/** Settings of one source. */
export type SettingsOf<S extends StateSource> = z.infer<(typeof settingsOf)[S]>

/** A source with its settings. */
export type SourceDefinition = {
  [S in StateSource]: { source: S; sourceSettings: SettingsOf<S> }
}[StateSource]

type Intersection<T> = (T extends unknown ? (value: T) => void : never) extends (all: infer All) => void
  ? All
  : never

/** Settings of any source, to read those that are there. */
export type SourceSettings = Intersection<Exclude<SourceDefinition['sourceSettings'], Record<string, never>>>
