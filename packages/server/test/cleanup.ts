/**
 * What a test file has started and stops at its end. The files of a worker share their modules, so that the server is
 * imported once for all of them: what is done for each file stands in a setup file (`cleanup.setup.ts`), which runs for each.
 */
const cleanups: (() => Promise<void>)[] = []

/** Has something done after the last test of this file, the newest first. */
export function afterThisFile(cleanup: () => Promise<void>): void {
  cleanups.push(cleanup)
}

export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
}
