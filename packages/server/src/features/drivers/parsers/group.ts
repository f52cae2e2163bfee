import type { RunOptions } from './types.ts'

/** Group of the scripts that came with the platform. */
const deliveredGroup = 'delivered'

/**
 * Whose sandboxes a driver's scripts share. They belong to the account whose data is read, never to the author: what a
 * script keeps of payloads in a closure, or hides in built-in objects, stays with the account they came from. Code
 * delivered with the platform keeps nothing, so it is in memory once for all accounts. What is tried stays apart from live
 * traffic.
 */
export function groupOf({ delivered = false }: { delivered?: boolean }, options: RunOptions): string {
  if (delivered && !options.isTrial) return deliveredGroup
  const group = `account:${options.dataAccountId}`
  return options.isTrial ? `${group} tried` : group
}
