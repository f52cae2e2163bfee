import type { AddressInfo } from 'node:net'
import program from '../package.json' with { type: 'json' }
import type { Config } from './config.ts'
import { registerAccounts } from './features/accounts/index.ts'
import { register as registerActivity } from './features/activity/index.ts'
import { registerAlarmReports } from './features/alarmReports/index.ts'
import { register as registerAlarms } from './features/alarms/index.ts'
import { registerAnnouncements } from './features/announcements/index.ts'
import { registerApikeys } from './features/apikeys/index.ts'
import { registerAssets } from './features/assets/index.ts'
import { registerBatches } from './features/batches/index.ts'
import { registerBranding } from './features/branding/index.ts'
import { register as registerConnectors } from './features/connectors/index.ts'
import { register as registerCopies } from './features/copies/index.ts'
import { register as registerDashboards } from './features/dashboards/index.ts'
import { registerDevices } from './features/devices/index.ts'
import { registerDiskUsage } from './features/diskUsage/index.ts'
import { register as registerDownlinks } from './features/downlinks/index.ts'
import { register as registerDrivers } from './features/drivers/index.ts'
import { registerExportSchedules } from './features/exportSchedules/index.ts'
import { registerExports } from './features/exports/index.ts'
import { register as registerFeedback } from './features/feedback/index.ts'
import { register as registerFiles } from './features/files/index.ts'
import { registerFloors } from './features/floors/index.ts'
import { registerGroups } from './features/groups/index.ts'
import { registerHealth } from './features/health/index.ts'
import { register as registerIngest } from './features/ingest/index.ts'
import { register as registerJobs } from './features/jobs/index.ts'
import { registerKeys } from './features/keys/index.ts'
import { type LettersFeature, register as registerLetters } from './features/letters/index.ts'
import { registerMailTemplates } from './features/mailTemplates/index.ts'
import { registerNotifications } from './features/notifications/index.ts'
import { objectRoutes } from './features/objects/index.ts'
import { registerOverview } from './features/overview/index.ts'
import {
  type FirstSignIn,
  type PeopleFeature,
  readAdministrators,
  registerPeople,
} from './features/people/index.ts'
import { registerProvider } from './features/provider/index.ts'
import { register as registerRemotes } from './features/remotes/index.ts'
import { register as registerReporting } from './features/reporting/index.ts'
import { register as registerRetention } from './features/retention/index.ts'
import { accountScopes, moduleRoles, type RightsOf, registerRights } from './features/rights/index.ts'
import { register as registerRules } from './features/rules/index.ts'
import { register as registerSeries } from './features/series/index.ts'
import { register as registerSettings } from './features/settings/index.ts'
import { isDemoRemoved, registerSetup } from './features/setup/index.ts'
import { registerSharing } from './features/sharing/index.ts'
import { registerSignon } from './features/signon/index.ts'
import { register as registerTemplates } from './features/templates/index.ts'
import { registerTerminal } from './features/terminal/index.ts'
import { registerTickets } from './features/tickets/index.ts'
import { registerTraces } from './features/traces/index.ts'
import { register as registerTwins } from './features/twins/index.ts'
import { registerWarnapp } from './features/warnapp/index.ts'
import { originsOf } from './mapStyles.ts'
import { registerObjects } from './objects.ts'
import { Brands } from './platform/brands.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import type { Context } from './platform/context.ts'
import { startEmbedded } from './platform/db/embedded.ts'
import { type DatabaseAddress, openDatabase } from './platform/db/index.ts'
import { migrationsFolder } from './platform/db/location.ts'
import { type Migration, readMigrations } from './platform/db/migrate.ts'
import { ConfigChanges } from './platform/db/notices.ts'
import { pooled } from './platform/db/pooler.ts'
import { onPrimary } from './platform/db/reading.ts'
import { primaryOnly, Replica } from './platform/db/replica.ts'
import { Writer } from './platform/db/writer.ts'
import { openElixir } from './platform/elixir/index.ts'
import { StartError } from './platform/errors.ts'
import { Events, sliceCount } from './platform/events/index.ts'
import { mountApi } from './platform/http/api.ts'
import { mountConsole } from './platform/http/console.ts'
import { mountHealth, openMetrics } from './platform/http/health.ts'
import { joinRoutes } from './platform/http/router.ts'
import { createHttp } from './platform/http/server.ts'
import { Jobs } from './platform/jobs/index.ts'
import { LimitHits } from './platform/limits/index.ts'
import { Live } from './platform/live/index.ts'
import type { Logger } from './platform/log.ts'
import { LoopDelay } from './platform/loopDelay.ts'
import { Mailer } from './platform/mail/index.ts'
import { Metrics } from './platform/metrics.ts'
import { Names } from './platform/net/names.ts'
import { Outgoing } from './platform/net/outgoing.ts'
import { joinNodes, type Role } from './platform/nodes/index.ts'
import { Printer } from './platform/printing/index.ts'
import { Reader } from './platform/reader/index.ts'
import { createScriptEngine, scriptsOnDemand, topAccountOf } from './platform/scripts/index.ts'
import { checkSecrets, openSecrets } from './platform/secrets.ts'
import type { SystemLog } from './platform/systemLog/index.ts'
import { checkDatabase, prepareSchema } from './schema.ts'

/**
 * A router key belongs to one feature. A device is one noun for clients, but creating or changing it may link
 * it to a template and deleting it may delete it from its network server, which later features do.
 */
const sharedKeys = ['virtualdevice']

/** How long requests in progress may take to finish when the server stops. */
const answerTimeMaxMs = 5000

/** What a feature may provide besides its routes. */
export interface Feature {
  routes?: object
  /** Starts its background work; called in list order, before the first request is accepted. */
  start?(): Promise<void>
  /** Of features with a role: what each node with the role does, where with several `start` is for one of them. */
  startOnEach?(): Promise<void>
  stopOnEach?(): Promise<void>
  /** Finishes all work it has accepted; for tests. */
  drain?(): Promise<void>
  /** Accepts no more work and finishes what it has accepted; called in reverse order. */
  [Symbol.asyncDispose]?(): Promise<void>
}

/** Replacements that tests can pass. */
export interface Overrides {
  clock?: Clock
  /** a database that is already running; otherwise `DATABASE_URL` or the embedded one */
  database?: DatabaseAddress
  /** other migrations than those of this version */
  migrations?: readonly Migration[]
  /** number of sandbox processes for scripts, see `ScriptEngineOptions` */
  scriptWorkers?: number
  /** starts sandbox processes with the first script */
  scriptsOnDemand?: boolean
  /** called once every feature is registered and before any starts; lets tests add event consumers */
  prepare?: (ctx: Context) => void
  /** called when everything is ready and nobody is served yet */
  beforeServing?: () => void
  /** gets the warnings and errors of `log`; absent: they are not kept */
  systemLog?: SystemLog
  /** called when the process cannot go on */
  onLost?: (error: Error) => void
}

export interface App extends AsyncDisposable {
  /** the address it listens on, e.g. `http://127.0.0.1:8080` */
  url: string
  /** port of the metrics endpoint, if it has a port of its own */
  metricsPort: number | null
  ctx: Context
  /** the interface of the accounts feature, for tests */
  accounts: ReturnType<typeof registerAccounts>
  people: PeopleFeature
  provider: ReturnType<typeof registerProvider>
  /** the interfaces of the data pipeline, for tests */
  series: ReturnType<typeof registerSeries>
  twins: ReturnType<typeof registerTwins>
  devices: ReturnType<typeof registerDevices>
  ingest: ReturnType<typeof registerIngest>
  letters: LettersFeature
  /** the interfaces of alarms and rules, for tests */
  alarms: ReturnType<typeof registerAlarms>
  rules: ReturnType<typeof registerRules>
  /** the interface of keys of doors, for tests */
  keys: ReturnType<typeof registerKeys>
  /** the interface of retention, for tests */
  retention: ReturnType<typeof registerRetention>
  /** set when this start created the administrator */
  firstSignIn: FirstSignIn | null
  /** Handles every pending event and job; for tests. */
  drain(): Promise<void>
}

/**
 * Builds and starts everything, in this order: database, platform, features, HTTP. Disposing reverses the
 * order: it stops accepting work, finishes what was accepted, then stops the database.
 */
export async function createApp(config: Config, log: Logger, overrides: Overrides = {}): Promise<App> {
  await using stack = new AsyncDisposableStack()
  const { address, direct } = await connectDatabase(config, log, overrides, stack)
  await checkDatabase(address, direct, log)

  const migrations = overrides.migrations ?? readMigrations(migrationsFolder)
  const clock = overrides.clock ?? systemClock
  const metrics = stack.use(new Metrics())
  const replica =
    config.databaseReadUrl === undefined
      ? null
      : stack.use(
          new Replica({
            address: {
              connectionString: config.databaseReadUrl,
              connectionsMax: config.databaseConnections,
            },
            lagMaxMs: config.databaseReadLagSeconds * 1000,
            log,
            metrics,
          }),
        )
  const database = stack.use(openDatabase(address, log, replica ?? undefined))
  // What a pooler cannot do: listening, locks of a connection, prepared statements, and the statements of pg-boss.
  const own = direct === address ? database : stack.use(openDatabase(direct, log))
  const { db, pool } = database
  const writer = stack.use(new Writer(direct, log, (opened) => events.adopt(opened)))
  metrics.gauge('database_connections', 'Open database connections', () => pool.totalCount)
  const nodes = stack.use(
    await joinNodes({
      config,
      db,
      log,
      version: program.version,
      schema: migrations.at(-1)?.name ?? '',
      onLost: (error) => overrides.onLost?.(error),
    }),
  )
  stack.use(await prepareSchema({ address: direct, migrations, nodes, log }))
  await replica?.start(own)
  if (overrides.systemLog) {
    overrides.systemLog.start({ db, log, node: config.nodeName })
    stack.use(overrides.systemLog)
  }
  const configChanges = stack.use(new ConfigChanges(direct, log))
  const events = stack.use(
    new Events({ db, address: direct, log, metrics, checksWrites: config.checkEvents }),
  )
  const jobs = stack.use(new Jobs({ db, query: own.query }, log, metrics))
  const limitHits = stack.use(new LimitHits({ db, clock, log }))
  const secrets = openSecrets(config)
  await checkSecrets(db, secrets, config.dataDir)
  const names = new Names(config.dnsServers)
  const outgoing = new Outgoing(config.allowedNetworks)
  const brands = new Brands(config.publicUrl)
  const mail = new Mailer({
    db,
    jobs,
    clock,
    log,
    secrets,
    outgoing,
    brands,
    publicUrl: config.publicUrl,
    from: config.mailFrom,
    ...smtpOf(config),
  })
  const startScripts = () =>
    createScriptEngine({
      log,
      metrics: metrics.registry,
      onLimit: (account, limit, detail) => limitHits.note(account, limit, { detail }),
      ...(overrides.scriptWorkers === undefined ? {} : { workers: overrides.scriptWorkers }),
      ...(config.scriptIsolation === 'account'
        ? { domainOf: (account) => onPrimary(() => topAccountOf(db, account)) }
        : {}),
    })
  const scripts = stack.use(overrides.scriptsOnDemand ? scriptsOnDemand(startScripts) : await startScripts())
  const elixir = stack.use(
    openElixir({ log, onLimit: (accountId, detail) => limitHits.note(accountId, 'elixir', { detail }) }),
  )
  const reader = stack.use(new Reader({ log, limitHits }))
  const loopDelay = stack.use(new LoopDelay(log, metrics))
  const http = await createHttp(config, log, metrics, loopDelay)
  const printer = new Printer({
    http,
    log,
    origins: originsOf(config.mapStyles),
    program: config.chromiumPath,
  })
  const live = new Live({ clock, log, metrics, configChanges, limitHits, nodes })
  // The streets of the demo city leave with it.
  const localMap = config.localMap ?? ((await isDemoRemoved(db)) ? null : config.demoMap)
  const ctx: Context = {
    config: { ...config, localMap },
    log,
    clock,
    db,
    pool,
    reads: replica ?? primaryOnly,
    writer,
    nodes,
    configChanges,
    events,
    live,
    loopDelay,
    jobs,
    mail,
    brands,
    names,
    outgoing,
    secrets,
    scripts,
    reader,
    printer,
    elixir,
    metrics,
    limitHits,
    http,
  }

  // Features, from low to high: a feature may call those above it in this list through their index.ts,
  // never those below. A new feature needs an import, a line here and a line in `features`; its routes go
  // into `routes`.
  registerObjects()
  const activity = registerActivity(ctx)
  const rightsOf: RightsOf = (caller) => people.rightsOf(caller)
  const accounts = registerAccounts(ctx, {
    visible: async (caller) => (await rightsOf(caller)).scopes.map(({ id }) => id),
    administratorsOf: readAdministrators,
    moduleRoles,
    scopes: accountScopes,
  })
  const branding = registerBranding(ctx)
  const rights = registerRights(ctx, { rightsOf })
  const people = registerPeople(ctx)
  const signon = registerSignon(ctx, { people })
  const provider = registerProvider(ctx, { people })
  const { authenticate } = people
  const { authenticateKey, ...apikeys } = registerApikeys(ctx, { people })
  const backgroundJobs = registerJobs(ctx, { people })
  const settings = registerSettings(ctx)
  const mailTemplates = registerMailTemplates(ctx)
  const announcements = registerAnnouncements(ctx)
  const drivers = registerDrivers(ctx)
  const series = registerSeries(ctx)
  const twins = registerTwins(ctx, { series, jobs: backgroundJobs })
  registerReporting(ctx, { authenticate, authenticateKey, series })
  const devices = registerDevices(ctx, { series, recomputeHealth: (ids) => health.recomputeHealth(ids) })
  const health = registerHealth(ctx)
  const groups = registerGroups(ctx)
  const overview = registerOverview(ctx)
  const batches = registerBatches(ctx, { people, jobs: backgroundJobs, health })
  const files = registerFiles(ctx)
  const floors = registerFloors(ctx)
  const feedback = registerFeedback(ctx)
  const ingest = registerIngest(ctx, {
    drivers,
    series,
    rejections: {
      store: (tx, rejected) => letters.rejections.store(tx, rejected),
      stored: (connectorId) => letters.rejections.stored(connectorId),
    },
  })
  const connectors = registerConnectors(ctx, {
    ingest,
    letters: { reasonsOf: (connectorId, identifier) => letters.reasonsOf(connectorId, identifier) },
  })
  const letters: LettersFeature = registerLetters(ctx, { series, ingest, connectors, jobs: backgroundJobs })
  const downlinks = registerDownlinks(ctx, { connectors })
  const remotes = registerRemotes(ctx, { people, connectors, jobs: backgroundJobs })
  const alarms = registerAlarms(ctx)
  const tickets = registerTickets(ctx, { alarms })
  const rules = registerRules(ctx, {
    series,
    jobs: backgroundJobs,
    twins,
    alarms,
    tickets,
    connectors,
    downlinks,
  })
  const notifications = registerNotifications(ctx, { people, alarms, tickets, rules, connectors })
  const alarmReports = registerAlarmReports(ctx, { rules, connectors })
  const traces = registerTraces(ctx, { rules })
  const copies = registerCopies(ctx, { people, jobs: backgroundJobs, alarms, rules, series })
  const templates = registerTemplates(ctx, {
    people,
    alarms,
    health,
    series,
    jobs: backgroundJobs,
  })
  const dashboards = registerDashboards(ctx, { series })
  const assets = registerAssets(ctx, { series, twins })
  const sharing = registerSharing(ctx, { series, twins, floors, dashboards })
  const exporting = registerExports(ctx, { people, jobs: backgroundJobs, series, dashboards })
  const exportSchedules = registerExportSchedules(ctx, {
    people,
    jobs: backgroundJobs,
    connectors,
    rules,
    exporting,
    dashboards,
  })
  const retention = registerRetention(ctx, { series, ingest })
  const diskUsage = registerDiskUsage(ctx)
  const terminal = registerTerminal(ctx, { people, series, letters })
  const warnapp = registerWarnapp(ctx, { series })
  const setup = registerSetup(ctx, { branding, people, jobs: backgroundJobs, connectors })
  const keys = registerKeys(ctx, { people, connectors, downlinks, series })
  const features: readonly [Feature, Role | null][] = [
    [accounts, null],
    [people, null],
    [backgroundJobs, 'jobs'],
    [settings, null],
    [announcements, 'derive'],
    [drivers, null],
    [series, 'derive'],
    [twins, null],
    [devices, 'derive'],
    [health, 'derive'],
    [groups, 'derive'],
    [ingest, null],
    [ingest.compaction, 'derive'],
    [connectors, null],
    [letters, null],
    [downlinks, 'connect'],
    [alarms, 'derive'],
    [rules, 'derive'],
    [notifications, 'derive'],
    [alarmReports, 'derive'],
    [exportSchedules, 'derive'],
    [keys, 'derive'],
  ]
  const routes = joinRoutes(
    [
      activity,
      { routes: { objects: objectRoutes(ctx) } },
      accounts,
      branding,
      rights,
      people,
      signon,
      provider,
      apikeys,
      backgroundJobs,
      settings,
      mailTemplates,
      announcements,
      drivers,
      series,
      twins,
      devices,
      health,
      groups,
      overview,
      batches,
      files,
      floors,
      feedback,
      connectors,
      letters,
      downlinks,
      remotes,
      alarms,
      tickets,
      rules,
      notifications,
      alarmReports,
      traces,
      copies,
      templates,
      dashboards,
      sharing,
      exporting,
      exportSchedules,
      diskUsage,
      terminal,
      assets,
      warnapp,
      setup,
      keys,
    ].map((feature) => feature.routes),
    sharedKeys,
  )

  let stopping = false
  const probes = { config, db, log, metrics, loopDelay, nodes, isStopping: () => stopping }
  mountHealth(http, probes)
  mountApi(http, {
    router: routes,
    authenticate,
    authenticateKey,
    onRightsChanged: people.seeChanges,
    reads: ctx.reads,
    log,
    signInsPerMinute: config.signInsPerMinute,
  })
  live.mount(http, {
    authenticate: (token, ip) =>
      sharing.visitors.isOne(token) ? sharing.visitors.authenticate(token, ip) : authenticate(token, ip),
    accountsOf: people.accountsOf,
  })
  await mountConsole(http, { log, pageUnder: branding.consolePage })

  overrides.prepare?.(ctx)
  const firstSignIn = await people.prepareFirstStart()
  await configChanges.start()
  await jobs.start({ works: nodes.has('jobs'), isAlone: !nodes.isCluster })
  for (const [feature, role] of features) {
    const isLater = role === 'derive' && nodes.isCluster
    if (role === null || nodes.has(role)) {
      await feature.startOnEach?.()
      if (!isLater) await feature.start?.()
    }
    stack.defer(async () => {
      await feature[Symbol.asyncDispose]?.()
      await feature.stopOnEach?.()
    })
  }
  limitHits.start()
  nodes.report('eventsLateMs', () => events.lateMs)
  await events.start({ isDivided: nodes.isCluster })
  if (nodes.isCluster)
    shareDeriving(
      ctx,
      features.filter(([, role]) => role === 'derive').map(([feature]) => feature),
    )
  // Stopped before the features they call; unfinished work stays in the database for the next start.
  stack.use(jobs)
  stack.use(events)
  const metricsServer = await openMetrics(probes)
  if (metricsServer) stack.use(metricsServer)
  overrides.beforeServing?.()
  await listen(http, config)
  // Last: a node that takes over partitions and connectors must be able to serve them.
  await nodes.start()
  stack.defer(() => nodes.rest())
  loopDelay.start()
  stack.defer(async () => {
    stopping = true
    await live[Symbol.asyncDispose]()
    await closeHttp(http)
  })

  const resources = stack.move()
  return {
    metricsPort: metricsServer?.port ?? null,
    url: urlOf(http.server.address() as AddressInfo),
    ctx,
    accounts,
    people,
    provider,
    series,
    twins,
    devices,
    ingest,
    letters,
    alarms,
    rules,
    keys,
    retention,
    firstSignIn,
    drain: () =>
      drainAll(
        ctx,
        features.map(([feature]) => feature),
      ),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Closes keep-alive connections once their request is answered, and all others after a timeout. */
async function closeHttp(http: Context['http']): Promise<void> {
  const idle = setInterval(() => http.server.closeIdleConnections(), 50)
  const all = setTimeout(() => http.server.closeAllConnections(), answerTimeMaxMs)
  await http.close()
  clearInterval(idle)
  clearTimeout(all)
}

async function listen(http: Context['http'], { host, port }: Config): Promise<void> {
  try {
    await http.listen({ host, port })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new StartError(`Port ${port} on ${host} is in use: stop what uses it, or set PORT.`)
  }
}

/** Where the database is, and how to reach it without the pooler in front of it, if there is one. */
interface Addresses {
  address: DatabaseAddress
  direct: DatabaseAddress
}

async function connectDatabase(
  config: Config,
  log: Logger,
  { database, onLost }: Overrides,
  stack: AsyncDisposableStack,
): Promise<Addresses> {
  const { databaseUrl, databaseDirectUrl, databaseConnections: connectionsMax } = config
  const given = database ?? (databaseUrl === undefined ? undefined : { connectionString: databaseUrl })
  const address = given && { ...given, connectionsMax }
  if (address && databaseDirectUrl !== undefined)
    return { address: pooled(address), direct: { connectionString: databaseDirectUrl, connectionsMax } }
  if (address) return { address, direct: address }
  const embedded = stack.use(
    await startEmbedded({ dataDir: config.dataDir, log, ...(onLost ? { onLost } : {}) }),
  )
  const own = { ...embedded.connection, database: 'postgres', connectionsMax }
  return { address: own, direct: own }
}

/** The lease of the node that has the clocks of everything that follows from stored values. */
const deriveLease = 'derive'

/**
 * With several nodes each dispatches the events of some accounts, and computes their states; clocks and rounds over all
 * accounts are on one node. The others with this role are ready to take over.
 */
function shareDeriving({ nodes, events }: Context, features: readonly Feature[]): void {
  for (let slice = 0; slice < sliceCount; slice++)
    nodes.share({
      key: `events.${slice}`,
      role: 'derive',
      start: () => events.take(slice),
      stop: () => events.leave(slice),
    })
  nodes.share({
    key: deriveLease,
    role: 'derive',
    start: async () => {
      for (const feature of features) await feature.start?.()
    },
    stop: async () => {
      for (const feature of features.toReversed()) await feature[Symbol.asyncDispose]?.()
    },
  })
}

/** Events create jobs and jobs create events, so repeat until both are empty. */
async function drainAll(
  { configChanges, events, jobs, live }: Context,
  features: readonly Feature[],
): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await configChanges.settle()
    await live.settled()
    for (const feature of features) await feature.drain?.()
    await events.drain()
    await jobs.drain()
  }
}

function smtpOf({ smtpUrl }: Config): { smtpUrl?: string } {
  return smtpUrl === undefined ? {} : { smtpUrl }
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
