import { parseArgs } from 'node:util'

export const subjects = [
  'ingest',
  'live',
  'start',
  'query',
  'storage',
  'list',
  'import',
  'accounts',
  'twins',
  'moves',
  'log',
  'soak',
  'flood',
  'derive',
  'rules',
  'exports',
  'alarms',
  'chaos',
  'cluster',
  'peers',
] as const
export type Subject = (typeof subjects)[number]

/** Subjects that leave nothing more than an account with devices in an existing platform. */
const subjectsWithUrl = ['ingest', 'live', 'soak'] as const

export const protocols = ['mqtt', 'http'] as const
export type Protocol = (typeof protocols)[number]

export interface Options {
  subject: Subject
  /** length of each measured phase */
  seconds: number
  json: boolean
  /** an already running platform on this machine; absent: one is started for the run */
  url: string | null
  /** uplinks per second of the open loop; null: chosen by the subject */
  rate: number | null
  /** null: both */
  protocol: Protocol | null
  /** simulated devices per protocol; for chaos in total */
  devices: number
  /** entries of the activity log, or values to export */
  rows: number
  /** one part of the subject; null: all */
  part: string | null
  /** faults of the crash matrix */
  kills: number
  /** random seed of the faults; null: random */
  seed: number | null
  /** nodes behind a balancer; null: a single process */
  nodes: number | null
}

/** The command line is invalid; the message says how to fix it. */
export class UsageError extends Error {}

/** Limits, so that every run ends. */
const bounds = {
  seconds: [1, 900],
  rate: [1, 100_000],
  devices: [10, 20_000],
  rows: [100_000, 50_000_000],
  kills: [1, 1000],
  seed: [0, 0xffff_ffff],
  nodes: [1, 5],
} as const

/** Defaults other than 10. */
const secondsOf: Partial<Record<Subject, number>> = { soak: 600, moves: 30, alarms: 60, cluster: 8 }

/** Defaults other than a million. */
const rowsOf: Partial<Record<Subject, number>> = { exports: 10_000_000 }

/** Defaults other than 2000. */
const devicesOf: Partial<Record<Subject, number>> = {
  live: 500,
  flood: 3500,
  derive: 2500,
  chaos: 180,
  cluster: 500,
  import: 5000,
  peers: 500,
}

const addressesAllowed = ['127.0.0.1', 'localhost', '[::1]']

export const usage = `npm run bench -- <subject> [options]

Subjects:
  ingest   uplinks and points per second from acknowledged to stored, against what broker and database allow
  live     from an uplink sent to its value on the live connection
  start    time to ready of an empty and of a used data folder, memory after it
  query    charts over a year of 5-minute values of 100 states
  storage  bytes per value of such a year of 20 states, and what its charts take, before and after compaction
  list     lists of 100 000 virtual devices and 20 000 twins
  import   virtual devices made by an import (--devices 5000): how many a second, and what one costs
  accounts a tree of 2 000 accounts with 20 000 users
  twins    tree, list, map and states overview of 20 000 twins with a million states
  moves    processor time of a browser with the map of 1 000 twins, each moving every ten seconds (--seconds 30)
  log      the activity log of such a tree (--rows 1000000): lists, searches, CSV
  soak     a fixed rate for a long time (--seconds 600): whether memory and delays stay as they were
  flood    delays of a quiet account while another one floods the platform, memory, what was lost and doubled
  derive   aggregates over 10 000 states (--devices 2500, four states each): what the seven functions cost, whether they keep up
  rules    10 000 geofences with 1 000 positions a second, what rules cost, one rule for all instead of a copy on each,
           how late silence is noticed, how fast 30 days of minute values run through rules, and 20 000 rules that
           look back on a day of them
  exports  files of ten million values (--rows 10000000): rows a second by format, memory, and a file whose export was killed
  alarms   10 000 changes of health a second for a minute (--seconds 60), 100 000 alarms at once, 100 000 silent devices:
           whether all are in the alarm log and how soon, how many mails that makes
  chaos    the crash matrix: kill -9, full disk, cut connections and more under load; what was lost and doubled.
           Ends with 1 when anything was. As root the disk is a tmpfs, else writes are refused by prlimit.
           With --nodes of several nodes, three servers of NATS and a balancer.
  cluster  what one to --nodes nodes cost behind haproxy, with three servers of NATS, against one without NATS (default 3),
           and how soon others take over from a node that is killed
  peers    the same uplinks over MQTT into Leitstand and into Node-RED with PostgreSQL, which npm installs into the user's
           cache: points a second, what they cost, and what is lost when each is killed

Options:
  --seconds N        length of each measured phase (default 10; alarms: 60; cluster: 8; soak: the whole run, default 600)
  --json             one line of JSON instead of the table
  --protocol P       mqtt or http; without it ingest measures both
  --rate N           uplinks per second of the open loop (ingest: 30, 50 and 70 % of what the closed loop reached; live: 500,
                     soak: 2000)
                     chaos: of all devices together, when nothing is in their way (default 400)
                     flood: of the quiet account (default 80)
                     derive: values per second of the states that are aggregated (default 1000)
                     alarms: changes of health per second (default 10000)
  --devices N        simulated devices per protocol (default 2000; live, cluster and peers: 500; derive: 2500; import: 5000; chaos: 180 in all;
                     flood: 3500, each with a connection of its own)
  --rows N           entries of the activity log (default 1000000), values to export (default 10000000)
  --part P           of rules: geofences, cost, many, silence, slow, past or windows;
                     of alarms: flow, storm or thresholds; of list: addresses; of twins: maps; all without it
  --nodes N          nodes of cluster and of the crash matrix
  --kills N          faults of the crash matrix (default 20)
  --seed N           what its faults are drawn from; the same seed gives the same faults
  --url URL          a platform that runs already, on this machine; LEITSTAND_TOKEN is a session of it,
                     LEITSTAND_MQTT_PORT its broker, DATABASE_URL its database (ingest and live); what the run makes stays there

Without --url a platform of its own is started in a temporary folder, and removed afterwards.`

/**
 * Reads the command line.
 * @returns null to show help: no subject, or --help
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
    seconds: number('seconds', values.seconds) ?? secondsOf[subject] ?? 10,
    json: values.json ?? false,
    url: address(values.url),
    rate: number('rate', values.rate),
    protocol,
    devices: number('devices', values.devices) ?? devicesOf[subject] ?? 2000,
    rows: number('rows', values.rows) ?? rowsOf[subject] ?? 1_000_000,
    part: values.part ?? null,
    kills: number('kills', values.kills) ?? 20,
    seed: number('seed', values.seed),
    nodes: number('nodes', values.nodes),
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
        rows: { type: 'string' },
        part: { type: 'string' },
        kills: { type: 'string' },
        seed: { type: 'string' },
        nodes: { type: 'string' },
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

/** Only this machine: the generator must not be usable against other hosts. */
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
