const lookMs = 250
const parent = process.ppid

/**
 * Calls `gone` once when the parent process has ended. npm forwards SIGTERM only to its shell, which exits
 * without signalling its children.
 */
export function whenParentEnds(gone) {
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    gone()
  }, lookMs)
  timer.unref()
}
