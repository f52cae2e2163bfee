import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import type { Config } from '../config.ts'
import type { Brands } from './brands.ts'
import type { Clock } from './clock.ts'
import type { Db } from './db/index.ts'
import type { ConfigChanges } from './db/notices.ts'
import type { Reads } from './db/replica.ts'
import type { Writer } from './db/writer.ts'
import type { ElixirEngine } from './elixir/engine.ts'
import type { Events } from './events/index.ts'
import type { Jobs } from './jobs/index.ts'
import type { LimitHits } from './limits/index.ts'
import type { Live } from './live/index.ts'
import type { Logger } from './log.ts'
import type { LoopDelay } from './loopDelay.ts'
import type { Mailer } from './mail/index.ts'
import type { Metrics } from './metrics.ts'
import type { Names } from './net/names.ts'
import type { Outgoing } from './net/outgoing.ts'
import type { Nodes } from './nodes/types.ts'
import type { Printer } from './printing/index.ts'
import type { Reader } from './reader/index.ts'
import type { ScriptEngine } from './scripts/types.ts'
import type { Secrets } from './secrets.ts'

/** Everything of the platform that a feature may use; built once by `app.ts`, tests replace parts of it. */
export interface Context {
  config: Config
  log: Logger
  clock: Clock
  db: Db
  pool: pg.Pool
  /** runs work that only reads on the replica, where there is one */
  reads: Reads
  /** the connection that stores batches of values */
  writer: Writer
  /** the nodes of the installation: this process alone, or several */
  nodes: Nodes
  /** announces committed configuration changes to caches */
  configChanges: ConfigChanges
  events: Events
  live: Live
  /** records which operations have begun, to name the one that blocks the event loop */
  loopDelay: LoopDelay
  jobs: Jobs
  mail: Mailer
  /** under which name and address the platform writes to the users of an account */
  brands: Brands
  /** checks in the DNS whether a domain exists */
  names: Names
  /** decides which addresses users may make the platform connect to */
  outgoing: Outgoing
  /** encrypts values that must be read again, such as passwords for external brokers */
  secrets: Secrets
  scripts: ScriptEngine
  /** reads users' files in separate processes */
  reader: Reader
  /** prints pages of the console, where the operator has a browser */
  printer: Printer
  /** runs Elixir parsers, where they can be sandboxed */
  elixir: ElixirEngine
  metrics: Metrics
  /** counts which account hit which limit */
  limitHits: LimitHits
  /** for routes outside the contract: hooks, sockets, downloads */
  http: FastifyInstance
}
