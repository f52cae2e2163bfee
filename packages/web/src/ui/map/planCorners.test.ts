import { type Corner, type Corners, cornersFault } from '@leitstand/contract/floors'
import { describe, expect, it } from 'vitest'
import { angleOf, centerOf, draggedTo, matched, movedTo, turned, uprightAt, widthOf } from './planCorners.ts'

const place = { latitude: 49, longitude: 12 }
/** 40 m by 20 m. */
const plan = uprightAt(place, 40, 2)

function expectNear(one: Corners | null, other: Corners) {
  for (const [index, corner] of other.entries())
    for (const axis of [0, 1] as const) expect(one?.[index]?.[axis]).toBeCloseTo(corner[axis], 6)
}

describe('a plan', () => {
  it('is upright around a place, as wide as it is wanted, and may lie there', () => {
    expect(centerOf(plan)[0]).toBeCloseTo(12, 7)
    expect(centerOf(plan)[1]).toBeCloseTo(49, 7)
    expect(widthOf(plan)).toBeCloseTo(40, 1)
    expect(angleOf(plan)).toBe(0)
    expect(cornersFault(plan)).toBeNull()
  })

  it('keeps its size in metres when it moves north', () => {
    const north = movedTo(plan, [12, 60])
    expect(widthOf(north)).toBeCloseTo(40, 1)
    expect(centerOf(north)[1]).toBeCloseTo(60, 6)
  })

  it.each([30, 90, -45, 180])('turns clockwise by %s° and back', (degrees) => {
    const there = turned(plan, degrees)
    expect(angleOf(there)).toBeCloseTo(degrees, 1)
    expect(widthOf(there)).toBeCloseTo(40, 1)
    expectNear(turned(there, -degrees), plan)
  })

  it('grows by a factor around its middle', () => {
    const twice = turned(plan, 0, 2)
    expect(widthOf(twice)).toBeCloseTo(80, 1)
    expect(centerOf(twice)[0]).toBeCloseTo(12, 6)
  })

  it('follows a dragged corner by turning and growing', () => {
    const [, right] = turned(plan, 40, 1.5)
    const dragged = draggedTo(plan, 1, right)
    expect(angleOf(dragged)).toBeCloseTo(40, 1)
    expect(widthOf(dragged)).toBeCloseTo(60, 1)
    expect(dragged[1][0]).toBeCloseTo(right[0], 6)
    const middle: Corner = centerOf(plan)
    expect(draggedTo(plan, 1, middle)).toEqual(plan)
  })
})

describe('three points', () => {
  const target = turned(plan, 25, 1.3)
  const at = (x: number, y: number): Corner => {
    const [[ax, ay], [bx, by], , [dx, dy]] = target
    return [ax + (bx - ax) * x + (dx - ax) * y, ay + (by - ay) * x + (dy - ay) * y]
  }
  const match = (x: number, y: number) => ({ x, y, place: at(x, y) })

  it('place the whole plan', () => {
    expectNear(matched([match(0.1, 0.2), match(0.9, 0.3), match(0.4, 0.8)]), target)
  })

  it('do not when they are on a line or in the opposite order', () => {
    expect(matched([match(0.1, 0.1), match(0.5, 0.5), match(0.9, 0.9)])).toBeNull()
    const [a, b, c] = [match(0.1, 0.2), match(0.9, 0.3), match(0.4, 0.8)]
    expect(matched([{ ...a, place: b.place }, { ...b, place: a.place }, c])).toBeNull()
  })
})
