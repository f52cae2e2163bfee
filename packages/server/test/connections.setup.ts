import { AsyncLocalStorage } from 'node:async_hooks'
import { TransactionBuilder } from 'kysely'
import pg from 'pg'
import { afterAll, expect } from 'vitest'

/**
 * A transaction that takes a second connection of its pool may wait for other transactions to end, which wait for a connection,
 * too: with as many at once as the pool has connections, none goes on. A test file in which one does it fails, with where it
 * began and where it took the second one.
 */

/** Where transactions may: a command of an administrator, one at a time for each of them. */
const allowed = ['features/terminal/store.ts']

interface Begun {
  isOpen: boolean
  pool: pg.Pool | undefined
  where: Error
}

/** In the process, because the files of a worker share modules, which are changed once. */
const shared = globalThis as typeof globalThis & { secondConnections?: Set<string> }
shared.secondConnections ??= watch()
const found = shared.secondConnections

afterAll(() => {
  const all = [...found]
  found.clear()
  expect(all, 'connections taken within a transaction').toEqual([])
})

function watch(): Set<string> {
  const seen = new Set<string>()
  const transactions = new AsyncLocalStorage<Begun>()

  const { execute } = TransactionBuilder.prototype
  TransactionBuilder.prototype.execute = function <T>(callback: Parameters<typeof execute<T>>[0]) {
    const begun: Begun = { isOpen: true, pool: undefined, where: here() }
    return transactions.run(begun, async () => {
      try {
        return (await execute.call(this, callback)) as T
      } finally {
        begun.isOpen = false
      }
    })
  }

  const { connect } = pg.Pool.prototype
  pg.Pool.prototype.connect = function (this: pg.Pool, ...args: unknown[]) {
    const begun = transactions.getStore()
    if (begun?.isOpen) {
      // The first one is its own.
      if (begun.pool === undefined) begun.pool = this
      else if (begun.pool === this) note(seen, begun.where, here())
    }
    return Reflect.apply(connect, this, args)
  } as typeof connect
  return seen
}

function note(seen: Set<string>, begun: Error, taken: Error): void {
  const from = placesOf(begun)
  const [first] = from
  // Tests may hold a transaction open while the server does something else.
  if (first === undefined || /\.test\.ts|^test\//.test(first)) return
  if (allowed.some((place) => first.includes(place))) return
  seen.add(`${from.join(' < ')}; second: ${placesOf(taken).join(' < ')}`)
}

function here(): Error {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 40
  const error = new Error('here')
  Error.stackTraceLimit = stackTraceLimit
  return error
}

/** The innermost places of the server, its database layer left out, e.g. `src/features/keys/keys.ts:12`. */
function placesOf({ stack = '' }: Error): string[] {
  const places = stack.split('\n').flatMap((line) => /packages\/server\/(.+?:\d+)/.exec(line)?.[1] ?? [])
  const isOwn = (place: string) => !place.includes('connections.setup') && !place.includes('platform/db/')
  return places.filter(isOwn).slice(0, 4)
}
