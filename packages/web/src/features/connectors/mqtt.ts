import type { Reached } from './kinds/types.ts'
import { quoted, type Sample, sampleMessage } from './sending.ts'

/** Where and as whom a message is published. */
export interface MqttTarget {
  host: string
  port: number
  username: string
  topics: readonly string[]
}

/** A setting that is a text, from the loose record of the API. */
export function textOf({ settings }: Pick<Reached, 'settings'>, key: string): string {
  const { [key]: value } = settings
  return typeof value === 'string' ? value : ''
}

/** A setting that is a list of texts. */
export function textsOf({ settings }: Pick<Reached, 'settings'>, key: string): string[] {
  const { [key]: value } = settings
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

/** mosquitto_pub with one packet. */
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
