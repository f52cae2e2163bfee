import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { connectionSettings, type DB, type Db } from '../src/platform/db/index.ts'
import type { TestApp } from './kit.ts'

/** A query builder with one connection, whose server process ends before the statement with a given number. */
export class KilledDatabase {
  readonly db: Db
  readonly #app: TestApp
  readonly #pool: pg.Pool
  #statements = 0
  #killAt = Number.POSITIVE_INFINITY

  constructor(app: TestApp, name: string) {
    this.#app = app
    this.#pool = new pg.Pool({ ...connectionSettings(app.address, name), max: 1 })
    this.#pool.on('error', () => undefined)
    const connect = () => this.#connect()
    this.db = new Kysely<DB>({
      dialect: new PostgresDialect({
        pool: { connect, end: () => this.#pool.end(), options: this.#pool.options },
      }),
    })
  }

  /** Ends the connection before the n-th statement from now on; infinity: never. */
  killAt(statement: number): void {
    this.#statements = 0
    this.#killAt = statement
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  async #connect(): Promise<pg.PoolClient> {
    const client = await this.#pool.connect()
    if (client.listenerCount('error') === 0) client.on('error', () => undefined)
    return new Proxy(client, {
      get: (target, name) => {
        if (name === 'query')
          return async (text: string, values: unknown[]) => {
            if (++this.#statements === this.#killAt) await this.#kill(target)
            return target.query(text, values)
          }
        const found = Reflect.get(target, name) as unknown
        return typeof found === 'function' ? found.bind(target) : found
      },
    })
  }

  async #kill(client: pg.PoolClient): Promise<void> {
    const { processID } = client as pg.PoolClient & { processID: number }
    const gone = new Promise((resolve) => client.once('end', resolve))
    await this.#app.ctx.pool.query('select pg_terminate_backend($1)', [processID])
    await gone
  }
}
