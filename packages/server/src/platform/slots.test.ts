import { describe, expect, test } from 'vitest'
import { AppError } from './errors.ts'
import { Slots } from './slots.ts'

/** Work that the test ends. */
function piece() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  return { promise, resolve, reject, begun: false }
}

function begin(slots: Slots, work: ReturnType<typeof piece>): Promise<string> {
  return slots.run(() => {
    work.begun = true
    return work.promise
  })
}

describe('Slots', () => {
  test('run only so many at once, the others in their order, and refuse what is too much', async () => {
    const slots = new Slots({ runningMax: 2, waitingMax: 2 })
    const works = [piece(), piece(), piece(), piece()]
    const ends = works.map((work) => begin(slots, work))
    const begun = () => works.map((work) => work.begun)
    expect(begun()).toEqual([true, true, false, false])

    const refused = piece()
    await expect(begin(slots, refused)).rejects.toBeInstanceOf(AppError)
    await expect(begin(slots, refused)).rejects.toMatchObject({ code: 'OVERLOADED' })
    expect(refused.begun).toBe(false)

    works[1]?.resolve('second')
    expect(await ends[1]).toBe('second')
    expect(begun()).toEqual([true, true, true, false])

    works[0]?.reject(new Error('first'))
    await expect(ends[0]).rejects.toThrow('first')
    expect(begun()).toEqual([true, true, true, true])
    works[2]?.resolve('third')
    works[3]?.resolve('fourth')
    expect(await Promise.all(ends.slice(2))).toEqual(['third', 'fourth'])

    const later = piece()
    later.resolve('later')
    expect(await begin(slots, later)).toBe('later')
  })
})
