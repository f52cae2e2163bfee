import type { JsonValue } from '@leitstand/contract/common'
import type { ParseResult, payloadEncodings } from '@leitstand/contract/drivers'
import type { Calculated, Parser } from '@leitstand/contract/parsers'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import {
  createComparison,
  getLibraryDriver,
  installDelivered,
  libraryEntries,
  mayInstall,
  upgradeDelivered,
} from './delivered/delivered.ts'
import { countStates, searchLibrary } from './delivered/search.ts'
import {
  createDriver,
  type DriverContext,
  deleteDriver,
  getDriver,
  publishDriver,
  requireDriver,
  updateDriver,
} from './drivers.ts'
import { driverHealthRoutes } from './health/routes.ts'
import { judgeTried, noTriedHealth, type TriedHealth } from './health/tried.ts'
import { importDrivers } from './importing/importing.ts'
import { readFormulas } from './parsers/expressions.ts'
import { deviceScopes, manageScopes, viewerOf } from './policy.ts'
import { type Decoded, type RunnableDriver, runDriver, scriptProblem } from './run.ts'
import { listDrivers, listRecentPackets } from './store.ts'

/** The operations of drivers. */
export function driverRoutes(ctx: DriverContext) {
  const { db } = ctx
  const compare = createComparison()
  return {
    ...driverHealthRoutes(ctx),
    library: os.devicedrivers.library.handler(async ({ input, context: { caller } }) => {
      const { offset, limit, ...filter } = input
      const entries = await libraryEntries(db, compare)
      const found = searchLibrary(entries, filter)
      return {
        items: found.slice(offset, offset + limit),
        total: found.length,
        ...{ offset, limit },
        manufacturers: searchLibrary(entries, { orderBy: 'manufacturer' })
          .map(({ manufacturer }) => manufacturer)
          .filter((each, index, all) => each !== all[index - 1]),
        counts: countStates(entries),
        installable: await mayInstall(db, caller),
      }
    }),
    libraryDriver: os.devicedrivers.libraryDriver.handler(({ input, context: { caller } }) =>
      getLibraryDriver(ctx, caller, compare, input.key),
    ),
    install: os.devicedrivers.install.handler(async ({ input, context: { caller } }) => ({
      driverId: await installDelivered(ctx, caller, input.key),
    })),
    upgrade: os.devicedrivers.upgrade.handler(({ input, context: { caller } }) =>
      upgradeDelivered(ctx, caller, compare, input),
    ),
    import: os.devicedrivers.import.handler(async ({ input, context: { caller } }) => ({
      items: await importDrivers(ctx, caller, input),
    })),
    list: os.devicedrivers.list.handler(async ({ input, context: { caller } }) => {
      const found = await listDrivers(db, viewerOf(caller), deviceScopes(caller), input)
      const older = new Set(
        [...(await compare(db)).values()].filter(({ current }) => !current).map(({ driverId }) => driverId),
      )
      const items = found.items.map((item) => ({ ...item, updatable: older.has(item.id) }))
      return { ...found, items, offset: input.offset, limit: input.limit }
    }),
    get: os.devicedrivers.get.handler(({ input, context: { caller } }) =>
      getDriver(db, caller, input.id, input.number),
    ),
    create: os.devicedrivers.create.handler(async ({ input, context: { caller } }) => {
      const id = await createDriver(ctx, caller, input.accountId, input)
      return getDriver(db, caller, id)
    }),
    update: os.devicedrivers.update.handler(async ({ input, context: { caller } }) => {
      await updateDriver(ctx, caller, input)
      return getDriver(db, caller, input.id)
    }),
    publish: os.devicedrivers.publish.handler(async ({ input, context: { caller } }) => {
      await publishDriver(ctx, caller, input.id, input.number)
      return getDriver(db, caller, input.id)
    }),
    delete: os.devicedrivers.delete.handler(async ({ input, context: { caller } }) => {
      await deleteDriver(ctx, caller, input.id)
      return { ok: true as const }
    }),
  }
}

/** Trying drivers. */
export function dispatcherRoutes(ctx: DriverContext) {
  const { db } = ctx
  return {
    parse: os.dispatcher.parse.handler(async ({ input, context: { caller } }) =>
      tryPackets(ctx, await driverToTry(ctx, caller, input), input.packets, input.health),
    ),
    parseOfType: os.dispatcher.parseOfType.handler(async ({ input, context: { caller } }) =>
      tryPackets(ctx, await driverToTry(ctx, caller, { driverId: input.id }), input.packets),
    ),
    recentPackets: os.dispatcher.recentPackets.handler(async ({ input, context: { caller } }) => {
      await requireDriver(db, caller, input.id)
      const rows = await listRecentPackets(db, input.id, deviceScopes(caller), input.limit)
      return {
        items: rows.map(({ receivedAt, encoding, ...row }) => ({
          ...row,
          receivedAt: receivedAt.toISOString(),
          encoding: encoding === 'hex' ? ('base16' as const) : ('json' as const),
        })),
      }
    }),
  }
}

interface TriedPacket {
  payload: string
  encoding: (typeof payloadEncodings)[number]
  fPort?: number | undefined
  time?: string | undefined
  meta?: Record<string, JsonValue> | undefined
}

/** Decodes packets as live traffic does, and says what there is to say about the parser. */
async function tryPackets(
  ctx: DriverContext,
  driver: RunnableDriver,
  tried: readonly TriedPacket[],
  config?: Parameters<typeof judgeTried>[1],
) {
  const check = await checkToTry(ctx, driver)
  const now = ctx.clock.now()
  const packets = tried.map(({ time, payload, encoding, fPort, meta }) => ({
    ...{ payload, encoding, fPort: fPort ?? null, time: time === undefined ? now : new Date(time) },
    ...(meta === undefined ? {} : { meta }),
  }))
  const decoded = await runDriver(ctx.parsers, driver, packets, { console: true })
  const health = await judgeTried(ctx.scripts, config, driver.accountId, decoded)
  return {
    check,
    results: decoded.map((each, index) => toParseResult(each, health[index] ?? noTriedHealth)),
  }
}

/** The parser given, or the stored driver as live traffic uses it. */
async function driverToTry(
  { db }: Context,
  caller: Caller,
  input: { driverId?: number | undefined } & Tried,
): Promise<RunnableDriver> {
  const { driverId, parser, script, calculated, parserSecret } = input
  const isGiven = parser !== undefined || script !== undefined
  if (driverId === undefined && !isGiven)
    throw new AppError('VALIDATION_ERROR', { field: 'parser' }, 'A driver, a parser or a script is needed')
  const given = {
    ...(parserSecret === undefined ? {} : { bearer: parserSecret }),
    parser: parser ?? { kind: 'function' as const },
    script: script ?? '',
    calculated: calculated ?? [],
  }
  // Whoever may name an address lets the platform connect to it.
  if (parser?.kind === 'url' && manageScopes(caller).length === 0)
    throw new AppError('NO_PERMISSION', { subject: 'DeviceDriver', action: 'manage' })
  // Of two expressions that need each other none can be tried.
  if (isGiven) readFormulas(given.calculated)
  if (driverId === undefined) return { ...given, driverId: 0, number: 0, accountId: null }
  const latest = await requireDriver(db, caller, driverId)
  // A stored token is used by those who may change the driver.
  const stored = manageScopes(caller).includes(latest.scopeId) ? latest.parserSecret : null
  if (isGiven) return { ...given, driverId, number: 0, accountId: latest.accountId, parserSecret: stored }
  return requireDriver(db, caller, driverId, latest.publishedVersion ?? undefined).then((row) => ({
    ...row,
    driverId,
  }))
}

interface Tried {
  parser?: Parser | undefined
  script?: string | undefined
  calculated?: readonly Calculated[] | undefined
  parserSecret?: string | undefined
}

/** What can be said of a parser without running it. */
async function checkToTry({ scripts, elixir }: Context, { parser, script }: RunnableDriver) {
  const good = { ok: true, family: null, stateful: false, problem: null }
  if (parser?.kind === 'elixir') {
    const missing = {
      code: 'PARSER_ELIXIR_MISSING',
      message: "Elixir is not installed on the server's machine",
    }
    const problem = elixir === null ? missing : await elixir.check(script)
    return problem === null ? good : { ...good, ok: false, problem }
  }
  if (parser !== undefined && parser.kind !== 'function') return good
  const check = await scripts.check({ kind: 'driver', source: script })
  return check.ok
    ? { ...good, family: check.family, stateful: check.purity !== 'pure' }
    : { ...good, ok: false, problem: scriptProblem(check.error) }
}

function toParseResult({ measurements: _, ...decoded }: Decoded, health: TriedHealth): ParseResult {
  return { ...decoded, ...health, ok: decoded.error === null, durationUs: Math.round(decoded.durationUs) }
}
