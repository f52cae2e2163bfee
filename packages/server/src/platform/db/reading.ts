import { AsyncLocalStorage } from 'node:async_hooks'

/** Work whose statements may go to the read replica. */
interface Reading {
  /** false once the work is over: what it has left running must not go on there */
  isOpen: boolean
}

const current = new AsyncLocalStorage<Reading>()

/** Runs work that only reads: its statements may go to the replica. */
export async function onReplica<T>(work: () => Promise<T>): Promise<T> {
  const reading: Reading = { isOpen: true }
  try {
    return await current.run(reading, work)
  } finally {
    reading.isOpen = false
  }
}

/**
 * Runs a part of such work on the primary: whatever writes, and what is kept for later calls, which must not remember an
 * older state than the change that made it read again.
 */
export function onPrimary<T>(work: () => T): T {
  return current.exit(work)
}

/** Whether a statement may go to the replica. */
export function mayUseReplica(): boolean {
  return current.getStore()?.isOpen ?? false
}

/** Lets a function that is called later, such as the next part of a file, read where the work of now may. */
export function readingAsNow<T>(read: () => Promise<T>): () => Promise<T> {
  return mayUseReplica() ? () => onReplica(read) : read
}
