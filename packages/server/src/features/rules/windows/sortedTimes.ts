/** The place after the newest of ascending times that is not later than `timeMs`. */
export function placeAfter(times: readonly number[], timeMs: number): number {
  // Nearly always at the end.
  const last = times.at(-1)
  if (last === undefined || last <= timeMs) return times.length
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((times[middle] as number) <= timeMs) low = middle + 1
    else high = middle
  }
  return low
}
