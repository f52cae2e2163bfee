import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import type { Config } from '../config.ts'
import type { Clock } from './clock.ts'
import type { Db } from './db/index.ts'
import type { ConfigChanges } from './db/notices.ts'
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
import type { Reader } from './reader/index.ts'
import type { ScriptEngine } from './scripts/types.ts'
import type { Secrets } from './secrets.ts'

/** Everything a feature may use of the platform; built once by `app.ts`, tests replace parts of it. */
export interface Context {
  config: Config
  log: Logger
  clock: Clock
  db: Db
  pool: pg.Pool
  /** the connection that stores batches of values */
  writer: Writer
  /** announces committed changes of configuration to caches */
  configChanges: ConfigChanges
  events: Events
  live: Live
  /** says what has begun, for when it holds up everything else */
  loopDelay: LoopDelay
  jobs: Jobs
  mail: Mailer
  /** asks the DNS whether a domain exists */
  names: Names
  /** where users may let the platform connect to */
  outgoing: Outgoing
  /** encrypts what must be read again, such as passwords of foreign brokers */
  secrets: Secrets
  scripts: ScriptEngine
  /** reads files of users in processes of their own */
  reader: Reader
  /** runs parsers in Elixir, where they can be kept in */
  elixir: ElixirEngine
  metrics: Metrics
  /** counts which account ran into which limit */
  limitHits: LimitHits
  /** for routes outside the contract: hooks, sockets, downloads */
  http: FastifyInstance
}
