const lookMs = 250
const parent = process.ppid

/**
 * Calls `gone` once when the program that started this one has ended. npm passes SIGTERM on to its shell alone, which ends
 * without a word to what it runs.
 */
export function whenParentEnds(gone) {
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    gone()
  }, lookMs)
  timer.unref()
}
