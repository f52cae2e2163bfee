import type { Reached } from './kinds/types.ts'
import { quoted, type Sample, sampleMessage } from './sending.ts'

/** Broker address and user for publishing. */
export interface MqttTarget {
  host: string
  port: number
  username: string
  topics: readonly string[]
}

/** A string setting from the API's untyped record. */
export function textOf({ settings }: Pick<Reached, 'settings'>, key: string): string {
  const { [key]: value } = settings
  return typeof value === 'string' ? value : ''
}

/** A setting with a list of strings. */
export function textsOf({ settings }: Pick<Reached, 'settings'>, key: string): string[] {
  const { [key]: value } = settings
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

/** A mosquitto_pub command for one packet. */
export function publishCommand(
  { host, port, username, topics }: MqttTarget,
  preset: Reached['preset'],
  sample: Sample,
): string {
  return [
    `mosquitto_pub -h ${host || 'localhost'} -p ${port} -q 1`,
    ...(username ? [`  -u ${quoted(username)} -P '<…>'`] : []),
    `  -t ${quoted(publishTopic({ topics, username }, preset, sample))}`,
    `  -m ${quoted(JSON.stringify(sampleMessage(preset, sample)))}`,
  ].join(' \\\n')
}

/** A topic below the first filter: `+` and `#` become the device, `{username}` the user name. */
export function publishTopic(
  { topics, username }: Pick<MqttTarget, 'topics' | 'username'>,
  preset: Reached['preset'],
  { identifier }: Pick<Sample, 'identifier'>,
): string {
  const filter = topics[0] ?? identifier
  const levels = filter.replaceAll('{username}', username).split('/')
  const named = levels.map((level) => (level === '+' || level === '#' ? identifier : level))
  // ChirpStack's topics end in the kind of event.
  return preset === 'chirpstack-v4' && filter.endsWith('#')
    ? [...named, 'event', 'up'].join('/')
    : named.join('/')
}
