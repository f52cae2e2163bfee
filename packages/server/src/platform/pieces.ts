/**
 * Size of the next piece of work, so that it takes about `targetMs`: between half and twice the last size. A
 * fast piece that was not full keeps the size, because it does not show how long a full one takes.
 */
export function nextSize(
  size: number,
  done: number,
  tookMs: number,
  targetMs: number,
  bounds: { min: number; max: number },
): number {
  if (done < size && tookMs < targetMs) return size
  const factor = Math.min(2, Math.max(0.5, targetMs / Math.max(1, tookMs)))
  return Math.round(Math.min(bounds.max, Math.max(bounds.min, size * factor)))
}
