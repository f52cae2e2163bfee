/**
 * What a test file has started is stopped at its end. The files of a worker share their modules, so that the
 * server is imported once for all of them; per-file work is in a setup file (`cleanup.setup.ts`).
 */
const cleanups: (() => Promise<void>)[] = []

/** Registers a cleanup after the last test of this file; the newest runs first. */
export function afterThisFile(cleanup: () => Promise<void>): void {
  cleanups.push(cleanup)
}

export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
}
