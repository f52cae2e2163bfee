import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { os } from '../../platform/http/implement.ts'
import { downlinkReported } from '../../topics/index.ts'
import type { ConnectorsFeature } from '../connectors/index.ts'
import {
  cancelDownlink,
  listOfDevice,
  offerOf,
  requestDownlink,
  sendDownlink,
  type WantedDownlink,
} from './downlinks.ts'
import { DownlinkQueue } from './queue.ts'
import { type DownlinkRow, findPredefined, readOutcomes } from './store.ts'

/**
 * Downlinks to devices: a queue in the database that sends them to the network servers behind the connectors
 * and tracks the status these report.
 */
export { downlinkObjects } from './objects.store.ts'

export type DownlinksFeature = ReturnType<typeof register>

export function register(ctx: Context, { connectors }: { connectors: ConnectorsFeature }) {
  const queue = new DownlinkQueue(ctx, connectors)
  ctx.events.consume({
    name: 'downlinks',
    topics: [downlinkReported],
    partition: ({ payload }) => payload.connectorId,
    handleOnce: async (events, tx) => {
      const changed: DownlinkRow[] = []
      for (const { payload } of events) changed.push(...(await queue.hear(tx, payload)))
      return () => queue.follow(changed)
    },
  })
  return {
    routes: {
      downlink: {
        list: os.downlink.list.handler(({ input, context: { caller } }) =>
          listOfDevice(ctx.db, caller, input),
        ),
        offer: os.downlink.offer.handler(({ input, context: { caller } }) =>
          offerOf(ctx, connectors, caller, input.id),
        ),
        send: os.downlink.send.handler(async ({ input, context: { caller } }) => {
          const sent = await sendDownlink(ctx, connectors, caller, input)
          queue.wake()
          return sent
        }),
        cancel: os.downlink.cancel.handler(async ({ input, context: { caller } }) => {
          await cancelDownlink(ctx, caller, input)
          queue.wake()
          return { ok: true as const }
        }),
      },
    },
    /** Queues a downlink for a feature above; call `wake` after the commit. @returns its id, or why it is not possible */
    request: (tx: Executor, wanted: WantedDownlink) => requestDownlink(ctx, connectors, tx, wanted),
    /** Downlinks of the driver version a device uses. */
    predefinedOf: (db: Executor, deviceId: number) => findPredefined(db, deviceId),
    wake: (): void => queue.wake(),
    /** What became of downlinks, by id; those deleted because of their age are missing. */
    outcomesOf: (db: Executor, ids: readonly number[]) => readOutcomes(db, ids),
    start: async (): Promise<void> => queue.start(),
    /** Sends due downlinks and expires late ones. */
    drain: (): Promise<void> => queue.settle(),
    [Symbol.asyncDispose]: (): Promise<void> => queue.stop(),
  }
}
