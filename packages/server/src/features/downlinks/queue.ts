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

/** Polling interval of the queue; a new request wakes it at once. */
const lookMs = 1_000
/** Longer than any attempt takes: after this, its outcome counts as unknown. */
const attemptMs = 60_000
const lateMax = 200
/** Concurrent attempts, bounded per account so that one unresponsive server cannot use up all of them. */
const atOnce = { max: 20, ofAccountMax: 5 } as const

/**
 * Sends waiting downlinks to the network servers and expires them. An attempt is recorded before it begins,
 * its result when it is known. If a crash leaves an attempt without a result, it is retried a minute later
 * and marked as repeated, because the network server may have accepted it.
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
      shared: { nodes: ctx.nodes, name: 'downlinks' },
      round: async () => ((await this.#round()) ? 0 : lookMs),
    })
  }

  start(): void {
    this.#loop.start()
  }

  /** Checks the queue at once. */
  wake(): void {
    this.#loop.wake()
  }

  /** Aborts running attempts without recording a result: their outcome is unknown. */
  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Does everything that is due now. */
  async settle(): Promise<void> {
    while (!this.#loop.signal.aborted && (await this.#round()));
  }

  /**
   * Applies a report of a network server. @throws when it names a downlink whose id is still being recorded:
   * the event is retried
   */
  async hear(tx: Executor, report: DownlinkReported): Promise<DownlinkRow[]> {
    const rows = await lockNamed(tx, report.connectorId, report.names)
    if (rows.length === 0 && (await awaitsName(tx, report.connectorId, this.#ctx.clock.now())))
      throw new Error('a downlink is reported before its name is known')
    const at = new Date(report.at)
    for (const row of rows) await writeProgress(tx, row.id, afterReport(row, report, at))
    return rows
  }

  /** Notifies readers of changes and continues with the queue; call it after the commit. */
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
      if (target === undefined) return // deleted in the meantime, and its downlinks with it
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
      // It keeps its recorded state and is retried once the attempt counts as lost.
      this.#ctx.log.warn({ err: error, downlink: row.id }, 'the result of a downlink could not be kept')
    }
  }

  /** Makes live viewers of these devices reload them. */
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
