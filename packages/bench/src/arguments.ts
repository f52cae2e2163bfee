import { parseArgs } from 'node:util'

export const subjects = ['ingest', 'live', 'start', 'query', 'list'] as const
export type Subject = (typeof subjects)[number]

/** Those that leave no more behind in a platform than an account with devices. */
const subjectsWithUrl = ['ingest', 'live'] as const

export const protocols = ['mqtt', 'http'] as const
export type Protocol = (typeof protocols)[number]

export interface Options {
  subject: Subject
  /** length of each measured phase */
  seconds: number
  json: boolean
  /** a platform that runs already, on this machine; absent: one is started for the run */
  url: string | null
  /** uplinks per second of the open loop; null: chosen by the subject */
  rate: number | null
  /** null: both */
  protocol: Protocol | null
  /** simulated devices per protocol */
  devices: number
}

/** The command line was wrong; the message says what to do. */
export class UsageError extends Error {}

/** Every run ends by itself. */
const bounds = {
  seconds: [1, 900],
  rate: [1, 100_000],
  devices: [10, 20_000],
} as const

const addressesAllowed = ['127.0.0.1', 'localhost', '[::1]']

export const usage = `npm run bench -- <subject> [options]

Subjects:
  ingest   uplinks and points per second from acknowledged to stored, against what broker and database allow
  live     from an uplink sent to its value on the live connection
  start    time to ready of an empty and of a used data folder, memory after it
  query    charts over a year of 5-minute values of 100 states
  list     lists of 100 000 virtual devices and 20 000 twins

Options:
  --seconds N        length of each measured phase (default 10, ingest and live)
  --json             one line of JSON instead of the table
  --protocol P       mqtt or http; without it ingest measures both
  --rate N           uplinks per second of the open loop (ingest: 70 % of what the closed loop reached; live: 500)
  --devices N        simulated devices per protocol (default 2000; live: 500)
  --url URL          a platform that runs already, on this machine; LEITSTAND_TOKEN is a session of it,
                     LEITSTAND_MQTT_PORT its broker, DATABASE_URL its database (ingest and live); what the run makes stays there

Without --url a platform of its own is started in a temporary folder, and removed afterwards.`

/**
 * Reads the command line.
 * @returns null when help is wanted: no subject, or --help
 * @throws UsageError
 */
export function readArguments(args: readonly string[]): Options | null {
  const { values, positionals } = parse(args)
  const [subject, ...more] = positionals
  if (subject === undefined || values.help) return null
  if (!isOneOf(subjects, subject))
    throw new UsageError(`There is no subject ${subject}: ${subjects.join(', ')}`)
  if (more.length > 0) throw new UsageError(`One subject at a time, not also ${more.join(' ')}`)
  const protocol = values.protocol ?? null
  if (protocol !== null && !isOneOf(protocols, protocol))
    throw new UsageError(`--protocol is one of ${protocols.join(', ')}`)
  if (values.url !== undefined && !isOneOf(subjectsWithUrl, subject))
    throw new UsageError(
      `--url is for ${subjectsWithUrl.join(' and ')}: ${subject} fills a platform of its own`,
    )
  return {
    subject,
    seconds: number('seconds', values.seconds) ?? 10,
    json: values.json ?? false,
    url: address(values.url),
    rate: number('rate', values.rate),
    protocol,
    devices: number('devices', values.devices) ?? (subject === 'live' ? 500 : 2000),
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        seconds: { type: 'string' },
        json: { type: 'boolean' },
        url: { type: 'string' },
        rate: { type: 'string' },
        protocol: { type: 'string' },
        devices: { type: 'string' },
        help: { type: 'boolean' },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function number(name: keyof typeof bounds, text: string | undefined): number | null {
  if (text === undefined) return null
  const [min, max] = bounds[name]
  const value = Number(text)
  if (!Number.isInteger(value) || value < min || value > max)
    throw new UsageError(`--${name} is a whole number from ${min} to ${max}`)
  return value
}

/** Only this machine: the generator is no tool to use against others. */
function address(text: string | undefined): string | null {
  if (text === undefined) return null
  const url = URL.parse(text)
  if (url === null || url.protocol !== 'http:' || !addressesAllowed.includes(url.hostname))
    throw new UsageError('--url is http:// and an address of this machine, e.g. http://127.0.0.1:8080')
  return url.origin
}

function isOneOf<T extends string>(all: readonly T[], text: string): text is T {
  return (all as readonly string[]).includes(text)
}
