import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { Loop } from '../../platform/loop.ts'
import { Mutex } from '../../platform/mutex.ts'
import type { DownlinkReported } from '../../topics/downlinkReported.ts'
import type { ConnectorsFeature } from '../connectors/index.ts'
import { afterAttempt, afterReport, afterTime } from './follow.ts'
import {
  awaitsName,
  claimDue,
  type DownlinkRow,
  findTarget,
  lockDownlink,
  lockLate,
  lockNamed,
  setNetworkId,
  writeProgress,
} from './store.ts'

/** How late the clock may look; what somebody requests is looked at at once. */
const lookMs = 1_000
/** Longer than any attempt takes: afterwards nobody knows how it has ended. */
const attemptMs = 60_000
const lateMax = 200
/** Attempts at a time, so that a server that does not answer holds up only some of one account. */
const atOnce = { max: 20, ofAccountMax: 5 } as const

/**
 * Hands the downlinks that wait to the network servers, and lets them expire. An attempt is noted before it begins and
 * its result when it is known; what a hard end of the server leaves without a result is tried again a minute later and
 * marked as repeated, because the network server may have taken it.
 */
export class DownlinkQueue {
  readonly #ctx: Context
  readonly #connectors: Pick<ConnectorsFeature, 'downlinks'>
  readonly #sent
  readonly #loop: Loop
  readonly #rounds = new Mutex()

  constructor(ctx: Context, connectors: Pick<ConnectorsFeature, 'downlinks'>) {
    this.#ctx = ctx
    this.#connectors = connectors
    this.#sent = ctx.metrics.counter('downlink_attempts_total', 'Attempts to hand over a downlink', [
      'outcome',
    ])
    this.#loop = new Loop({
      log: ctx.log,
      failure: 'downlinks could not be handed over; tried again soon',
      retryMs: lookMs,
      round: async () => ((await this.#round()) ? 0 : lookMs),
    })
  }

  start(): void {
    this.#loop.start()
  }

  /** Looks at the queue at once. */
  wake(): void {
    this.#loop.wake()
  }

  /** Ends attempts that are under way without a result: nobody knows what became of them. */
  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Does everything that is due at this moment. */
  async settle(): Promise<void> {
    while (!this.#loop.signal.aborted && (await this.#round()));
  }

  /** What a network server has said. @throws when it speaks of one whose name is being learned: it comes again */
  async hear(tx: Executor, report: DownlinkReported): Promise<DownlinkRow[]> {
    const rows = await lockNamed(tx, report.connectorId, report.names)
    if (rows.length === 0 && (await awaitsName(tx, report.connectorId, this.#ctx.clock.now())))
      throw new Error('a downlink is reported before its name is known')
    const at = new Date(report.at)
    for (const row of rows) await writeProgress(tx, row.id, afterReport(row, report, at))
    return rows
  }

  /** Readers see what changed, and the queue goes on; after the commit. */
  follow(changed: readonly DownlinkRow[]): void {
    this.#tell(changed)
    this.wake()
  }

  /** @returns whether there may be more to do at once */
  #round(): Promise<boolean> {
    return this.#rounds.run(() => this.#look())
  }

  async #look(): Promise<boolean> {
    const { db, clock } = this.#ctx
    const late = await db.transaction().execute(async (tx) => {
      const rows = await lockLate(tx, clock.now(), lateMax)
      for (const row of rows) {
        const after = afterTime(row, clock.now())
        if (after) await writeProgress(tx, row.id, after)
      }
      return rows
    })
    this.#tell(late)
    const now = clock.now()
    const until = new Date(now.getTime() + attemptMs)
    const claimed = await db.transaction().execute((tx) => claimDue(tx, now, until, atOnce))
    this.#tell(claimed)
    await Promise.all(claimed.map((row) => this.#attempt(row)))
    return claimed.length > 0 || late.length === lateMax
  }

  async #attempt(row: DownlinkRow): Promise<void> {
    const { db, clock } = this.#ctx
    const { signal } = this.#loop
    try {
      const target = await findTarget(db, row.deviceId)
      if (target === undefined) return // deleted meanwhile, and its downlinks with it
      const name = await this.#connectors.downlinks.nameOf(row.connectorId, row.correlation)
      if (name !== null) await setNetworkId(db, row.id, name)
      const { deviceName, applicationId, externalId } = target
      const sending = this.#connectors.downlinks.send(
        row.connectorId,
        {
          correlation: row.correlation,
          externalId,
          port: row.port,
          payload: row.payload,
          confirmed: row.confirmed,
          gateways: row.gateways,
          lora: { deviceId: deviceName ?? undefined, applicationId: applicationId ?? undefined },
        },
        signal,
      )
      const delivery = await Promise.race([sending, aborted(signal)])
      if (delivery === undefined) return
      this.#sent.inc({ outcome: delivery.outcome })
      await db.transaction().execute(async (tx) => {
        const current = await lockDownlink(tx, row.deviceId, row.id)
        if (current) await writeProgress(tx, row.id, afterAttempt(current, delivery, clock.now()))
      })
      this.#tell([row])
    } catch (error) {
      // It stays as it was noted before: tried again when the attempt counts as lost.
      this.#ctx.log.warn({ err: error, downlink: row.id }, 'the result of a downlink could not be kept')
    }
  }

  /** Who looks at these devices reads them again. */
  #tell(rows: readonly DownlinkRow[]): void {
    this.#ctx.live.resync(
      'packets',
      rows.map(({ deviceId }) => deviceId),
    )
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  if (signal.aborted) resolve(undefined)
  else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  return promise
}
