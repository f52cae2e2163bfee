import type { Context } from '../../platform/context.ts'
import type { IngestFeature } from '../ingest/index.ts'
import { Journal } from './journal.ts'
import { BrokerHost } from './kinds/mqtt-broker/host.ts'
import type { KindTools } from './kinds/types.ts'
import { mountHooks } from './kinds/webhook-in/route.ts'
import { Receiver } from './receive.ts'
import { bridgeRoutes } from './routes.ts'
import { findConnector } from './store/connectors.ts'
import { Supervisor } from './supervisor.ts'

/**
 * Connectors: how messages come in. Kinds are folders below `kinds`, ways to read foreign messages are in `presets`,
 * the supervisor runs what the table says, the journal is what people look at.
 */
export function register(ctx: Context, { ingest }: { ingest: IngestFeature }) {
  const journal = new Journal(ctx)
  const receiver = new Receiver(ctx, ingest, journal)
  const brokerHost = new BrokerHost(ctx)
  const tools: KindTools = { ctx, receiver, journal, brokerHost }
  const supervisor = new Supervisor(tools)
  mountHooks({ ctx, receiver, journal, findHook: (key) => supervisor.findByKey(key) })
  ctx.live.topic('connector', {
    authorise: async (caller, id) =>
      id !== null && (await findConnector(ctx.db, caller.scopeIds('all', 'manage'), id)) !== undefined,
  })
  return {
    routes: { bridge: bridgeRoutes(tools, supervisor) },
    /** Where the built-in broker listens. */
    brokerEndpoints: (): string[] => brokerHost.endpoints,
    async start(): Promise<void> {
      await journal.start()
      await supervisor.start()
    },
    async drain(): Promise<void> {
      await supervisor.drain()
      await journal.flush()
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await supervisor[Symbol.asyncDispose]()
      await brokerHost[Symbol.asyncDispose]()
      await journal[Symbol.asyncDispose]()
    },
  }
}
