/** Numbers larger than this are not added exactly: intermediate results could overflow. */
const exactMax = 1e292

/** Whether a number can be part of an exact sum. */
export function isExact(number: number): boolean {
  return Math.abs(number) <= exactMax
}

/**
 * A sum without rounding errors in any order: added numbers can be subtracted again without a residue.
 * Keeps the sum as non-overlapping numbers (Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997).
 */
export class ExactSum {
  #parts: number[] = []

  /** Adds a number for which `isExact` holds; add its negative to remove it. */
  add(number: number): void {
    const parts = this.#parts
    let rest = number
    let kept = 0
    for (const part of parts) {
      const [large, small] = Math.abs(rest) < Math.abs(part) ? [part, rest] : [rest, part]
      const sum = large + small
      const error = small - (sum - large)
      if (error !== 0) parts[kept++] = error
      rest = sum
    }
    parts.length = kept
    if (rest !== 0) parts.push(rest)
  }

  /** The sum, rounded once. */
  value(): number {
    const parts = this.#parts
    let at = parts.length - 1
    let sum = parts[at] ?? 0
    let error = 0
    while (at > 0 && error === 0) {
      const part = parts[--at] as number
      const before = sum
      sum = before + part
      error = part - (sum - before)
    }
    // Half way between two numbers, the next part decides the rounding.
    const next = at > 0 ? (parts[at - 1] as number) : 0
    if ((error < 0 && next < 0) || (error > 0 && next > 0)) {
      const twice = error * 2
      const rounded = sum + twice
      if (twice === rounded - sum) sum = rounded
    }
    return sum
  }
}

/** Sum of numbers, rounded once; if any is very large, added in the given order. */
export function sumOf(numbers: readonly number[]): number {
  if (!numbers.every(isExact)) return numbers.reduce((total, number) => total + number, 0)
  const sum = new ExactSum()
  for (const number of numbers) sum.add(number)
  return sum.value()
}
