/** A sorted multiset of numbers. Adding and removing moves memory, 8 bytes per number. */
export class SortedNumbers {
  #numbers: Float64Array
  length = 0

  constructor(numbers: readonly number[] = []) {
    this.#numbers = Float64Array.from(numbers).sort()
    this.length = numbers.length
  }

  add(number: number): void {
    if (this.length === this.#numbers.length) {
      const larger = new Float64Array(Math.max(8, this.length * 2))
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    const at = this.#find(number)
    this.#numbers.copyWithin(at + 1, at, this.length)
    this.#numbers[at] = number
    this.length++
  }

  /** Removes a number that was added. */
  remove(number: number): void {
    const at = this.#find(number)
    this.#numbers.copyWithin(at, at + 1, this.length)
    this.length--
  }

  min(): number {
    return this.#numbers[0] as number
  }

  max(): number {
    return this.#numbers[this.length - 1] as number
  }

  median(): number {
    const middle = this.length >> 1
    const upper = this.#numbers[middle] as number
    return this.length % 2 === 1 ? upper : ((this.#numbers[middle - 1] as number) + upper) / 2
  }

  /** Index of the first number that is not smaller. */
  #find(number: number): number {
    let [from, to] = [0, this.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((this.#numbers[middle] as number) < number) from = middle + 1
      else to = middle
    }
    return from
  }
}
