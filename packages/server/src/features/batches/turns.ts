import { setImmediate as turn } from 'node:timers/promises'

/** Rows checked before yielding to the event loop. */
const rowsOfTurn = 50

/** Maps items without blocking the event loop. */
export async function inTurns<T, R>(items: readonly T[], work: (item: T, at: number) => R): Promise<R[]> {
  const results: R[] = []
  for (const [at, item] of items.entries()) {
    results.push(work(item, at))
    if (at % rowsOfTurn === rowsOfTurn - 1) await turn()
  }
  return results
}
