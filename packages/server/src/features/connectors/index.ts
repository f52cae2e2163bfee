import type { Context } from '../../platform/context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import type { IngestFeature } from '../ingest/index.ts'
import { deleteConnector, requireConnector } from './connectors.ts'
import { DownlinkSender } from './downlinks/sender.ts'
import { Journal } from './journal.ts'
import { HookKeys } from './keys/registry.ts'
import { RunningKinds } from './kinds/index.ts'
import { Limiter } from './limits/limiter.ts'
import { Unreadable } from './limits/unreadable.ts'
import { MessageSender } from './outgoing/sender.ts'
import { Receiver } from './receive.ts'
import { type Refused, receptionOf } from './reception/reception.ts'
import { RemoteServers } from './remote/servers.ts'
import { bridgeRoutes } from './routes.ts'
import { sealStored } from './sealing.ts'
import { findConnector } from './store/connectors.ts'
import { listRefusals } from './store/journal.ts'
import { Supervisor } from './supervisor.ts'
import type { ConnectorTools } from './tools.ts'

export type { Delivery, OutgoingDownlink } from './downlinks/types.ts'
export { connectorObjects } from './objects.store.ts'
export { attemptOfError, attemptOfStatus } from './outgoing/answers.ts'
export type { OutgoingConnector } from './outgoing/sender.ts'
export { type Attempt, failed } from './outgoing/types.ts'
export {
  type ForeignMessage,
  foreignMessage,
  type KeyedPacket,
  type Reading,
  type Translation,
  translate,
} from './presets/index.ts'
export { asRecord } from './presets/read.ts'
export { packetsOf } from './presets/standard.ts'
export type { RemoteServer } from './remote/server.ts'
export { readConnectors } from './store/connectors.ts'
export { readingOf } from './types.ts'

export type ConnectorsFeature = ReturnType<typeof register>

/**
 * Connectors: how messages come in. `kinds` has a folder per kind, `presets` parses messages of external
 * systems, the supervisor runs what the table says, and the journal records what users see.
 */
export function register(ctx: Context, { ingest, letters }: { ingest: IngestFeature; letters: Refused }) {
  const journal = new Journal(ctx)
  const limiter = new Limiter(ctx)
  const unreadable = new Unreadable()
  const receiver = new Receiver(ctx, ingest, journal, { limiter, unreadable })
  ingest.onStored((message, outcome) => receiver.noteStored(message, outcome))
  const findByKey: Supervisor['findByKey'] = (key) => supervisor.findByKey(key)
  const running = new RunningKinds({ ctx, receiver, journal, findByKey })
  const tools: ConnectorTools = { ctx, journal, running }
  const keys = new HookKeys(ctx)
  const supervisor = new Supervisor(tools, limiter, keys)
  ctx.live.topic('connector', {
    table: 'connectors',
    authorise: async (caller, id) =>
      id !== null && (await findConnector(ctx.db, caller.scopeIds('all', 'manage'), id)) !== undefined,
  })
  return {
    routes: {
      bridge: {
        ...bridgeRoutes(tools, supervisor, keys),
        reception: os.bridge.reception.handler(({ input, context: { caller } }) =>
          receptionOf(tools, letters, caller, input.id),
        ),
      },
    },
    /** @throws AppError CONNECTOR_NOT_FOUND, also when the caller may not manage it */
    requireConnector: (caller: Caller, id: number) => requireConnector(tools, caller, id),
    /** Deletes a connector. @throws AppError CONNECTOR_NOT_FOUND, CONNECTOR_IN_USE */
    remove: async (caller: Caller, id: number): Promise<void> => {
      await deleteConnector(tools, caller, id)
      await supervisor.refresh(id)
    },
    /** Refusals since the connector was created, by reason. */
    refusalsOf: async (id: number) => {
      await journal.flush()
      return listRefusals(ctx.db, id)
    },
    /** sends downlinks to network servers */
    downlinks: new DownlinkSender(ctx, running),
    /** sends messages and commands of rules */
    messages: new MessageSender(ctx, running, supervisor),
    /** the devices of network servers */
    remote: new RemoteServers(ctx),
    async start(): Promise<void> {
      await sealStored(ctx)
      await limiter.start()
      await journal.start()
      keys.start()
      if (ctx.nodes.has('connect')) await supervisor.start()
    },
    async drain(): Promise<void> {
      await limiter.drain()
      await supervisor.drain()
      await journal.flush()
      await keys.flush()
    },
    async [Symbol.asyncDispose](): Promise<void> {
      // first: messages waiting for a limit would delay closing the connections
      unreadable[Symbol.dispose]()
      await limiter[Symbol.asyncDispose]()
      await supervisor[Symbol.asyncDispose]()
      await running[Symbol.asyncDispose]()
      await journal[Symbol.asyncDispose]()
      await keys[Symbol.asyncDispose]()
    },
  }
}
