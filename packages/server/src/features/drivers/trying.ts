import type { JsonValue } from '@leitstand/contract/common'
import type { ParseResult, payloadEncodings } from '@leitstand/contract/drivers'
import type { HealthConfig } from '@leitstand/contract/health'
import type { Calculated, Parser } from '@leitstand/contract/parsers'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { apart } from '../../platform/scripts/index.ts'
import { type DriverContext, requireDriver } from './drivers.ts'
import { judgeTried, noTriedHealth, type TriedHealth } from './health/tried.ts'
import { readFormulas } from './parsers/expressions.ts'
import { kindOf } from './parsers/index.ts'
import type { Inspection } from './parsers/types.ts'
import { manageScopes, requireWriter } from './policy.ts'
import { type Decoded, type RunnableDriver, runDriver } from './run.ts'
import { findAccountOf } from './sight.store.ts'

interface TriedPacket {
  payload: string
  encoding: (typeof payloadEncodings)[number]
  fPort?: number | undefined
  time?: string | undefined
  meta?: Record<string, JsonValue> | undefined
}

/** Submitted content that replaces the stored one: code, or the URL to which packets are sent. */
interface Brought {
  parser?: Parser | undefined
  script?: string | undefined
  calculated?: readonly Calculated[] | undefined
  parserSecret?: string | undefined
  health?: HealthConfig | undefined
}

interface Trial extends Brought {
  driverId?: number | undefined
  /** of the stored driver; undefined: what is published */
  number?: number | undefined
  packets: readonly TriedPacket[]
}

/** Of a parser without a script there is nothing to say. */
const unsuspicious: Inspection = { ok: true, family: null, stateful: false, problem: null }

/**
 * Decodes packets as live traffic does, and says what there is to say about the parser. What is stored may be run by
 * everybody who sees it; code brought along only by those who may write drivers.
 * @throws AppError NO_PERMISSION, DEVICEDRIVER_NOT_FOUND, VALIDATION_ERROR
 */
export async function tryDriver(ctx: DriverContext, caller: Caller, trial: Trial) {
  const { parser, script, calculated, parserSecret, health } = trial
  const brought = [parser, script, calculated, parserSecret, health]
  if (brought.some((each) => each !== undefined)) requireWriter(caller)
  const { driver, config } = await driverToTry(ctx, caller, trial)
  // A pasted packet belongs to the caller, no matter who wrote the driver.
  const options = { dataAccountId: await findAccountOf(ctx.db, caller), isTrial: true }
  const check =
    (await kindOf(driver.parser).inspect?.(ctx, driver.script, options.dataAccountId)) ?? unsuspicious
  const now = ctx.clock.now()
  const packets = trial.packets.map(({ time, payload, encoding, fPort, meta }) => ({
    payload,
    encoding,
    fPort: fPort ?? null,
    time: time === undefined ? now : new Date(time),
    ...(meta === undefined ? {} : { meta }),
  }))
  const scripts = apart(ctx.scripts)
  const decoded = await runDriver({ ...ctx.parsers, scripts }, driver, packets, { ...options, console: true })
  const tools = { ...scripts, check: ctx.scripts.check.bind(ctx.scripts) }
  const judged = await judgeTried(tools, config, options.dataAccountId, decoded)
  return {
    check,
    results: decoded.map((each, index) => toParseResult(each, judged[index] ?? noTriedHealth)),
  }
}

/** The parser given, or the stored driver; with the health configuration to judge by. */
async function driverToTry(
  { db }: Context,
  caller: Caller,
  { driverId, number, parser, script, calculated, parserSecret, health }: Trial,
): Promise<{ driver: RunnableDriver; config: HealthConfig | undefined }> {
  const isGiven = parser !== undefined || script !== undefined
  if (driverId === undefined && !isGiven)
    throw new AppError('VALIDATION_ERROR', { field: 'parser' }, 'A driver, a parser or a script is needed')
  const given = {
    ...(parserSecret === undefined ? {} : { bearer: parserSecret }),
    parser: parser ?? { kind: 'function' as const },
    script: script ?? '',
    calculated: calculated ?? [],
  }
  // Of two expressions that need each other none can be tried.
  if (isGiven) readFormulas(given.calculated)
  if (driverId === undefined)
    return { driver: { ...given, driverId: 0, number: 0, accountId: null }, config: health }
  const latest = await requireDriver(db, caller, driverId)
  // A stored token is used by those who may change the driver.
  const stored = manageScopes(caller).includes(latest.scopeId) ? latest.parserSecret : null
  if (isGiven)
    return {
      driver: { ...given, driverId, number: 0, accountId: latest.accountId, parserSecret: stored },
      config: health,
    }
  const row = await requireDriver(db, caller, driverId, number ?? latest.publishedVersion ?? undefined)
  return { driver: { ...row, driverId }, config: health ?? row.health }
}

function toParseResult({ measurements: _, ...decoded }: Decoded, health: TriedHealth): ParseResult {
  return { ...decoded, ...health, ok: decoded.error === null, durationUs: Math.round(decoded.durationUs) }
}
