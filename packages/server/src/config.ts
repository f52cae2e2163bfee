import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { limits } from '@leitstand/contract/common'
import type { LocalMap, MapStyle } from '@leitstand/contract/maps'
import * as z from 'zod'
import { GeocoderEnvironment, type GeocoderSettings, readGeocoder } from './geocoderSettings.ts'
import { readLocalMap } from './localMap.ts'
import { readMapStyles } from './mapStyles.ts'
import { readMapTiles, type TileFile } from './mapTiles.ts'
import { poolConnections } from './platform/db/index.ts'
import { isDnsServer } from './platform/net/names.ts'
import { readNetwork } from './platform/net/outgoing.ts'
import type { NatsSettings } from './platform/nodes/connect.ts'
import { type Role, roles } from './platform/nodes/roles.ts'

/**
 * The server's settings, read from the environment once at start and frozen. Paths are absolute;
 * `publicUrl` has no trailing slash.
 */
const ruleMailsPerHourDefault = 1000
const ruleMailsPerHourMax = 1_000_000
const compactAfterDaysDefault = 7
/** Ten years. */
const compactAfterDaysMax = 3_650

export interface Config {
  host: string
  port: number
  /** Address at which users reach the console, used in mails and hooks. */
  publicUrl: string
  dataDir: string
  /** Encrypts secrets in the database; absent: a file in `dataDir` that the first start creates. */
  secret?: string
  /** Absent: the embedded database below `dataDir` is used. */
  databaseUrl?: string
  /** set if `databaseUrl` leads to a pooler in transaction mode: the database itself */
  databaseDirectUrl?: string
  /** that a process opens at most in each of its pools */
  databaseConnections: number
  /** a replica of that database for lists, charts and exports */
  databaseReadUrl?: string
  /** a replica further behind is not read from */
  databaseReadLagSeconds: number
  mqttPort: number
  /** Set: the MQTT broker also listens with TLS. Files are PEM. */
  mqttTls?: { port: number; certFile: string; keyFile: string }
  smtpUrl?: string
  /** sender address of mails */
  mailFrom: string
  adminEmail: string
  /** receives feedback from accounts that have no contact of their own */
  supportEmail: string
  /** Absent: the first start generates one and prints it once. */
  adminPassword?: string
  demo: boolean
  /** whether event payloads are validated when they are written, for development and tests */
  checkEvents: boolean
  /** messages per second an account may send unless it has a limit of its own; 0: no limit */
  accountMessagesPerSecond: number
  /** values of days that ended longer ago than this are compacted; 0: none */
  compactAfterDays: number
  /** recipients of mails of the rules of one customer (an account below the topmost one, with all below it), per hour */
  ruleMailsPerHour: number
  /** whether accounts share the processes that run scripts (isolates are never shared) or each has its own */
  scriptIsolation: 'shared' | 'account'
  /** networks besides the public internet that users may make the platform connect to, in CIDR notation */
  allowedNetworks: readonly string[]
  /** DNS servers used to check whether a domain exists; empty: the system's */
  dnsServers: readonly string[]
  /** map styles besides the built-in ones; the console may load from their origins and no others */
  mapStyles: readonly MapStyle[]
  /** what built-in styles draw besides countries */
  localMap: LocalMap | null
  /** the one of the demo city, for as long as that is there */
  demoMap: LocalMap | null
  /** a file of map tiles that built-in styles draw, too */
  mapTiles: TileFile | null
  /** the browser that prints dashboards; absent: the first one on the PATH */
  chromiumPath?: string
  /** looks up addresses; null: the console offers no look-up */
  geocoder: GeocoderSettings | null
  /** who may read metrics; without both settings, only programs on this machine */
  metrics: {
    /** a separate address to listen on */
    listen?: { host: string; port: number }
    /** a bearer token */
    token?: string
  }
  /** proxies whose headers are trusted, in the syntax of `proxy-addr` */
  trustedProxies: readonly string[]
  /** sign-in attempts per minute and address */
  signInsPerMinute: number
  /** a session ends when it has been idle for this long */
  sessionIdleMinutes: number
  /** a session ends after this time, even if it is in use */
  sessionMaxHours: number
  logLevel: LogLevel
  /** Name of this process among the nodes of the installation. */
  nodeName: string
  /** what this node does; everything on a single node */
  roles: readonly Role[]
  /** Set: there may be several nodes, connected by NATS. */
  nats: NatsSettings | null
  /** how much the stream of packets may hold in NATS, in bytes */
  packetStreamBytes: number
  /** go on although the stream of packets was made again */
  isPacketStreamNew: boolean
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Lists every problem with the environment, one per line. */
export class ConfigError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** Notes of who has written are kept for longer, see `platform/db/writers.ts`. */
const readLagSecondsMax = 300
/** One year. */
const sessionHoursMax = 365 * 24

const port = z.coerce.number('must be a port number').int('must be a port number').min(0).max(65535)
const flag = z
  .enum(['0', '1', 'true', 'false', 'yes', 'no', 'on', 'off'], 'must be 1 or 0')
  .transform((text) => ['1', 'true', 'yes', 'on'].includes(text))

const urlWith = (...protocols: string[]) =>
  z.string().refine(
    (text) => {
      const url = URL.parse(text)
      return url !== null && protocols.includes(url.protocol)
    },
    `must be an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  )

const Environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8080),
  PUBLIC_URL: urlWith('http:', 'https:').optional(),
  DATA_DIR: z.string().default('./data'),
  LEITSTAND_SECRET: z.string().min(32, 'must have at least 32 characters').max(1000).optional(),
  DATABASE_URL: urlWith('postgres:', 'postgresql:').optional(),
  DATABASE_DIRECT_URL: urlWith('postgres:', 'postgresql:').optional(),
  DATABASE_CONNECTIONS: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(poolConnections.min, `must be at least ${poolConnections.min}`)
    .max(poolConnections.max, `must be at most ${poolConnections.max}`)
    .default(poolConnections.usual),
  DATABASE_READ_URL: urlWith('postgres:', 'postgresql:').optional(),
  DATABASE_READ_LAG_SECONDS: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(readLagSecondsMax, `must be at most ${readLagSecondsMax}`)
    .default(10),
  MQTT_PORT: port.default(1883),
  MQTT_TLS_PORT: port.optional(),
  MQTT_TLS_CERT: z.string().optional(),
  MQTT_TLS_KEY: z.string().optional(),
  NATS_URL: z.string().optional(),
  NATS_CREDENTIALS: z.string().optional(),
  NATS_CA: z.string().optional(),
  NATS_CERT: z.string().optional(),
  NATS_KEY: z.string().optional(),
  NATS_STREAM_MB: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(16, 'must be at least 16')
    .max(10_000_000)
    .default(1024),
  NATS_STREAM_NEW: flag.default(false),
  NODE_NAME: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must have at most 64 letters, digits, _ and -')
    .optional(),
  ROLES: z.string().optional(),
  SMTP_URL: urlWith('smtp:', 'smtps:').optional(),
  ADMIN_EMAIL: z
    .string()
    .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
    .default('admin@localhost'),
  SUPPORT_EMAIL: z
    .string()
    .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
    .optional(),
  ADMIN_PASSWORD: z.string().min(8, 'must have at least 8 characters').max(200).optional(),
  DEMO: flag.optional(),
  CHECK_EVENTS: flag.default(false),
  RULE_MAILS_PER_HOUR: z.coerce
    .number()
    .int()
    .min(1)
    .max(ruleMailsPerHourMax)
    .default(ruleMailsPerHourDefault),
  ACCOUNT_MESSAGES_PER_SECOND: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(0)
    .max(limits.messagesPerSecondMax)
    .default(0),
  COMPACT_AFTER_DAYS: z.coerce
    .number('must be a number of days')
    .int('must be a whole number of days')
    .min(0, 'must be 0 (off) or a number of days')
    .max(compactAfterDaysMax)
    .default(compactAfterDaysDefault),
  SCRIPT_ISOLATION: z.enum(['shared', 'account'], 'must be shared or account').default('shared'),
  ALLOWED_NETWORKS: z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean),
    )
    .refine(
      (networks) => networks.every((each) => readNetwork(each) !== undefined),
      'must be networks like 10.0.0.0/8, separated by commas',
    ),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port.optional(),
  METRICS_TOKEN: z
    .string()
    .regex(/^[!-~]{16,1000}$/, 'must have at least 16 characters, without spaces')
    .optional(),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean),
    )
    .refine(
      (networks) => networks.every((each) => (readNetwork(each)?.prefix ?? 0) > 0),
      'must be addresses or networks like 10.0.0.0/24, separated by commas, and not everybody',
    ),
  DNS_SERVERS: z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean),
    )
    .refine((servers) => servers.every(isDnsServer), 'must be IP addresses, separated by commas'),
  CHROMIUM_PATH: z.string().min(1).optional(),
  MAP_STYLES: z.string().optional(),
  MAP_LOCAL: z.string().optional(),
  DEMO_MAP: z.string().optional(),
  MAP_TILES: z.string().optional(),
  ...GeocoderEnvironment,
  SESSION_IDLE_MINUTES: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(5, 'must be at least 5')
    .max(sessionHoursMax * 60)
    .default(14 * 24 * 60),
  SESSION_MAX_HOURS: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(sessionHoursMax)
    .default(30 * 24),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
})

/** The variables that the server knows. */
export const variableNames: readonly string[] = Object.keys(Environment.shape)

/**
 * Environment → checked, frozen configuration.
 * A variable that is set but empty counts as not set.
 * @param env usually `process.env`
 * @param cwd base of a relative `DATA_DIR`
 * @throws ConfigError listing every problem at once
 */
export function readConfig(env: Record<string, string | undefined>, cwd: string): Config {
  const raw: Record<string, string> = {}
  for (const name of variableNames) {
    const value = env[name]?.trim()
    if (value) raw[name] = value
  }
  const parsed = Environment.safeParse(raw)
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`))
  }
  const seen = parsed.data
  const publicUrl = (seen.PUBLIC_URL ?? localUrl(seen.HOST, seen.PORT)).replace(/\/+$/, '')
  return Object.freeze({
    host: seen.HOST,
    port: seen.PORT,
    publicUrl,
    dataDir: resolve(cwd, seen.DATA_DIR),
    ...(seen.LEITSTAND_SECRET === undefined ? {} : { secret: seen.LEITSTAND_SECRET }),
    ...databasesOf(seen),
    mqttPort: seen.MQTT_PORT,
    ...mqttTlsOf(seen, cwd),
    ...(seen.SMTP_URL === undefined ? {} : { smtpUrl: seen.SMTP_URL }),
    mailFrom: `Leitstand <leitstand@${new URL(publicUrl).hostname}>`,
    adminEmail: seen.ADMIN_EMAIL.toLowerCase(),
    supportEmail: (seen.SUPPORT_EMAIL ?? seen.ADMIN_EMAIL).toLowerCase(),
    ...(seen.ADMIN_PASSWORD === undefined ? {} : { adminPassword: seen.ADMIN_PASSWORD }),
    // An external database may already hold real data, so it gets no demo city by default.
    demo: seen.DEMO ?? seen.DATABASE_URL === undefined,
    checkEvents: seen.CHECK_EVENTS,
    accountMessagesPerSecond: seen.ACCOUNT_MESSAGES_PER_SECOND,
    compactAfterDays: seen.COMPACT_AFTER_DAYS,
    ruleMailsPerHour: seen.RULE_MAILS_PER_HOUR,
    scriptIsolation: seen.SCRIPT_ISOLATION,
    allowedNetworks: seen.ALLOWED_NETWORKS,
    dnsServers: seen.DNS_SERVERS,
    mapStyles: mapStylesOf(seen.MAP_STYLES, cwd, publicUrl),
    localMap: localMapOf(seen.MAP_LOCAL, cwd),
    demoMap: localMapOf(seen.DEMO_MAP, cwd),
    mapTiles: mapTilesOf(seen.MAP_TILES, cwd),
    ...(seen.CHROMIUM_PATH === undefined ? {} : { chromiumPath: seen.CHROMIUM_PATH }),
    geocoder: geocoderOf(seen),
    metrics: metricsOf(seen),
    trustedProxies: ['loopback', ...seen.TRUSTED_PROXIES],
    signInsPerMinute: 100,
    sessionIdleMinutes: seen.SESSION_IDLE_MINUTES,
    sessionMaxHours: seen.SESSION_MAX_HOURS,
    logLevel: seen.LOG_LEVEL,
    ...nodesOf(seen, cwd),
  })
}

function nodesOf(
  seen: z.infer<typeof Environment>,
  cwd: string,
): Pick<Config, 'nodeName' | 'roles' | 'nats' | 'packetStreamBytes' | 'isPacketStreamNew'> {
  const common = {
    nodeName:
      seen.NODE_NAME ??
      (hostname()
        .replace(/[^\w-]/g, '-')
        .slice(0, 64) ||
        'node'),
    roles: rolesOf(seen.ROLES),
    packetStreamBytes: seen.NATS_STREAM_MB * 1024 * 1024,
    isPacketStreamNew: seen.NATS_STREAM_NEW,
  }
  const { NATS_URL, NATS_CREDENTIALS, NATS_CA, NATS_CERT, NATS_KEY } = seen
  if (NATS_URL === undefined) {
    const given = Object.entries({ NATS_CREDENTIALS, NATS_CA, NATS_CERT, NATS_KEY, ROLES: seen.ROLES })
    const lonely = given.filter(([, value]) => value !== undefined).map(([name]) => name)
    if (lonely.length > 0) throw new ConfigError(lonely.map((name) => `${name} needs NATS_URL`))
    return { ...common, nats: null }
  }
  if (seen.DATABASE_URL === undefined)
    throw new ConfigError(['NATS_URL needs DATABASE_URL: several nodes share one database'])
  if ((NATS_CERT === undefined) !== (NATS_KEY === undefined))
    throw new ConfigError(['NATS_CERT and NATS_KEY belong together: set both or none'])
  const files = {
    ...(NATS_CREDENTIALS === undefined ? {} : { credentialsFile: resolve(cwd, NATS_CREDENTIALS) }),
    ...(NATS_CA === undefined ? {} : { caFile: resolve(cwd, NATS_CA) }),
    ...(NATS_CERT === undefined ? {} : { certFile: resolve(cwd, NATS_CERT) }),
    ...(NATS_KEY === undefined ? {} : { keyFile: resolve(cwd, NATS_KEY) }),
  }
  const missing = Object.values(files).filter((file) => !existsSync(file))
  if (missing.length > 0) throw new ConfigError(missing.map((file) => `${file} must be a file that exists`))
  return { ...common, nats: { ...natsServersOf(NATS_URL), ...files } }
}

function rolesOf(setting: string | undefined): readonly Role[] {
  if (setting === undefined) return roles
  const names = setting
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)
  const unknown = names.filter((each) => !roles.some((role) => role === each))
  if (unknown.length > 0 || names.length === 0)
    throw new ConfigError([`ROLES must be some of ${roles.join(', ')}, separated by commas`])
  return roles.filter((role) => names.includes(role))
}

/** The servers of a list like `nats://user:password@host:4222,host2:4222`; user and password of the first count. */
function natsServersOf(setting: string): Pick<NatsSettings, 'servers' | 'user' | 'password'> {
  const urls = setting
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)
    .map((each) => URL.parse(each))
  const [first] = urls
  const isFine = (url: URL | null) =>
    url !== null && ['nats:', 'tls:'].includes(url.protocol) && url.hostname !== ''
  if (first === undefined || first === null || !urls.every(isFine))
    throw new ConfigError([
      'NATS_URL must be addresses that start with nats:// or tls://, separated by commas',
    ])
  return {
    servers: urls.map((url) => `${url?.protocol}//${url?.host}`),
    ...(first.username === '' ? {} : { user: decodeURIComponent(first.username) }),
    ...(first.password === '' ? {} : { password: decodeURIComponent(first.password) }),
  }
}

function databasesOf({
  DATABASE_URL: url,
  DATABASE_DIRECT_URL: directUrl,
  DATABASE_CONNECTIONS: databaseConnections,
  DATABASE_READ_URL: readUrl,
  DATABASE_READ_LAG_SECONDS: databaseReadLagSeconds,
}: z.infer<typeof Environment>): Pick<
  Config,
  'databaseUrl' | 'databaseDirectUrl' | 'databaseConnections' | 'databaseReadUrl' | 'databaseReadLagSeconds'
> {
  if (readUrl !== undefined && url === undefined)
    throw new ConfigError(['DATABASE_READ_URL needs DATABASE_URL: the embedded database has no replica'])
  if (directUrl !== undefined && url === undefined)
    throw new ConfigError(['DATABASE_DIRECT_URL needs DATABASE_URL, which leads to a pooler'])
  return {
    databaseConnections,
    databaseReadLagSeconds,
    ...(directUrl === undefined ? {} : { databaseDirectUrl: directUrl }),
    ...(url === undefined ? {} : { databaseUrl: url }),
    ...(readUrl === undefined ? {} : { databaseReadUrl: readUrl }),
  }
}

function metricsOf({
  METRICS_HOST: host,
  METRICS_PORT: metricsPort,
  METRICS_TOKEN: token,
}: z.infer<typeof Environment>): Config['metrics'] {
  return {
    ...(metricsPort === undefined ? {} : { listen: { host, port: metricsPort } }),
    ...(token === undefined ? {} : { token }),
  }
}

function mqttTlsOf(seen: z.infer<typeof Environment>, cwd: string): Pick<Config, 'mqttTls'> {
  const { MQTT_TLS_PORT: tlsPort, MQTT_TLS_CERT: cert, MQTT_TLS_KEY: key } = seen
  if (tlsPort === undefined && cert === undefined && key === undefined) return {}
  if (tlsPort === undefined || cert === undefined || key === undefined) {
    throw new ConfigError(['MQTT_TLS_PORT, MQTT_TLS_CERT and MQTT_TLS_KEY belong together: set all or none'])
  }
  const files = { MQTT_TLS_CERT: resolve(cwd, cert), MQTT_TLS_KEY: resolve(cwd, key) }
  const missing = Object.entries(files).filter(([, path]) => !existsSync(path))
  if (missing.length > 0) throw new ConfigError(missing.map(([name]) => `${name} must be a file that exists`))
  return { mqttTls: { port: tlsPort, certFile: files.MQTT_TLS_CERT, keyFile: files.MQTT_TLS_KEY } }
}

function mapStylesOf(setting: string | undefined, cwd: string, publicUrl: string): readonly MapStyle[] {
  if (setting === undefined) return []
  const { styles, problems } = readMapStyles(setting, cwd, publicUrl.startsWith('https:'))
  if (problems.length > 0) throw new ConfigError(problems)
  return styles
}

function localMapOf(setting: string | undefined, cwd: string): LocalMap | null {
  if (setting === undefined) return null
  const read = readLocalMap(resolve(cwd, setting))
  if ('problem' in read) throw new ConfigError([read.problem])
  return read.map
}

function mapTilesOf(setting: string | undefined, cwd: string): TileFile | null {
  if (setting === undefined) return null
  const read = readMapTiles(resolve(cwd, setting))
  if ('problem' in read) throw new ConfigError([read.problem])
  return read.file
}

function geocoderOf(seen: z.infer<typeof Environment>): GeocoderSettings | null {
  const read = readGeocoder(seen, seen.SUPPORT_EMAIL ?? seen.ADMIN_EMAIL)
  if ('problem' in read) throw new ConfigError([read.problem])
  return read.geocoder
}

function localUrl(host: string, listenPort: number): string {
  const anyAddress = host === '0.0.0.0' || host === '::' || host === '127.0.0.1' || host === '::1'
  const name = anyAddress ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${listenPort}`
}
