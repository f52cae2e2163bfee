import type { RunOptions } from './types.ts'

/** Group of delivered scripts. */
const deliveredGroup = 'delivered'

/**
 * The sandbox group of a driver's scripts. It belongs to the account whose data is decoded, never to the
 * author: payloads that a script keeps in closures or built-in objects stay within the account they came
 * from. Delivered code keeps nothing, so all accounts share it. Trials are separate from live traffic.
 */
export function groupOf({ delivered = false }: { delivered?: boolean }, options: RunOptions): string {
  if (delivered && !options.isTrial) return deliveredGroup
  const group = `account:${options.dataAccountId}`
  return options.isTrial ? `${group} tried` : group
}
