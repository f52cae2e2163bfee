/**
 * With several nodes the accounts are divided into slices: the events of a slice are handled by one node, in order. The
 * number must never change, cursors are stored by it.
 */
export const sliceCount = 16

/** The slice of a process that handles the events of all accounts. */
export const wholeSlice = -1

/** @param accountId 0: events that concern the whole platform */
export function sliceOf(accountId: number): number {
  return accountId % sliceCount
}
