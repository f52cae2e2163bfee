import type { Context } from '../../platform/context.ts'
import { Loop } from '../../platform/loop.ts'
import { Mutex } from '../../platform/mutex.ts'
import type { DownlinksFeature } from '../downlinks/index.ts'
import { readStandings } from './actions/deliveries/store.ts'
import { type DeliveryState, handedOver, type Outcomes, standingOf } from './standing.ts'
import { openExecutions, settleExecutions } from './store/executions.ts'

/** Executions looked at in one round; the next round continues behind them. */
const pageSize = 500
const lookMs = 2_000

/** What became of everything that executions handed over. @param mayRead accounts whose mails may be read */
export async function readOutcomes(
  { ctx, downlinks }: { ctx: Pick<Context, 'db' | 'mail'>; downlinks: Pick<DownlinksFeature, 'outcomesOf'> },
  ids: ReturnType<typeof handedOver>,
  mayRead: readonly number[],
): Promise<Outcomes> {
  const { db, mail } = ctx
  const [mails, deliveries, sent] = await Promise.all([
    mail.outcomesOf(db, ids.mails, mayRead),
    readStandings(db, ids.deliveries),
    downlinks.outcomesOf(db, ids.downlinks),
  ])
  return {
    mails,
    deliveries: new Map(
      [...deliveries].map(([id, { state, reason, detail }]): [number, DeliveryState] => [
        id,
        { outcome: state, reason, detail, isFinal: state !== 'queued' },
      ]),
    ),
    downlinks: sent,
  }
}

/**
 * Notes which executions have failed since they were recorded: what they handed over is sent later. Only
 * executions of which something is still under way are read.
 */
export class Settling {
  readonly #parts: Parameters<typeof readOutcomes>[0] & { ctx: Context }
  readonly #loop: Loop
  readonly #rounds = new Mutex()
  #after = 0

  constructor(parts: Parameters<typeof readOutcomes>[0] & { ctx: Context }) {
    this.#parts = parts
    this.#loop = new Loop({
      log: parts.ctx.log,
      failure: 'outcomes of rules could not be noted; tried again soon',
      retryMs: lookMs,
      round: async () => ((await this.#round()) ? 0 : lookMs),
    })
  }

  start(): void {
    this.#loop.start()
  }

  /** Looks again at once. */
  wake(): void {
    this.#loop.wake()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Looks at all open executions once. */
  async settle(): Promise<void> {
    while (await this.#round());
  }

  /** @returns whether the next page follows at once */
  #round(): Promise<boolean> {
    return this.#rounds.run(async () => {
      const { db } = this.#parts.ctx
      const page = await openExecutions(db, this.#after, pageSize)
      const outcomes = await readOutcomes(this.#parts, handedOver(page.flatMap(({ actions }) => actions)), [])
      const changes = page.flatMap((execution) => {
        const standing = standingOf(execution.actions, outcomes)
        const isSame = standing.open && standing.failed === execution.failed
        return isSame ? [] : [{ ...execution, ...standing }]
      })
      await settleExecutions(db, changes)
      const isLast = page.length < pageSize
      this.#after = isLast ? 0 : (page.at(-1)?.id ?? 0)
      return !isLast
    })
  }
}
