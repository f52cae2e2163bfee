import fc from 'fast-check'
import { expect, it } from 'vitest'
import { AreaGrid } from './areaGrid.ts'
import type { Bounds, Place } from './distance.ts'

const box = fc
  .tuple(
    fc.double({ min: -180, max: 180, noNaN: true }),
    fc.double({ min: -90, max: 90, noNaN: true }),
    fc.oneof(fc.double({ min: 0, max: 0.01, noNaN: true }), fc.double({ min: 0, max: 400, noNaN: true })),
    fc.oneof(fc.double({ min: 0, max: 0.01, noNaN: true }), fc.double({ min: 0, max: 180, noNaN: true })),
  )
  .map(
    ([west, south, width, height]): Bounds => ({
      west: west - width / 2,
      south,
      east: west + width / 2,
      north: south + height,
    }),
  )

const contains = ({ west, south, east, north }: Bounds, { latitude, longitude }: Place) =>
  latitude >= south &&
  latitude <= north &&
  [-360, 0, 360].some((turn) => longitude + turn >= west && longitude + turn <= east)

it('finds what a look at every box finds, after changes as well', () => {
  const change = fc.tuple(fc.nat(9), fc.option(box))
  const place = fc.tuple(
    fc.nat(9),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  )
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 30 }),
      fc.array(place, { maxLength: 20 }),
      (changes, places) => {
        const grid = new AreaGrid<number>()
        const boxes = new Map<number, Bounds>()
        for (const [id, bounds] of changes) {
          if (bounds === null) {
            grid.delete(id)
            boxes.delete(id)
          } else {
            grid.set(id, bounds)
            boxes.set(id, bounds)
          }
        }
        expect(grid.size).toBe(boxes.size)
        for (const [near, up, right] of places) {
          // On the edges of a box, within it, or anywhere.
          const { west, south, east, north } = boxes.get(near) ?? {
            west: -180,
            south: -90,
            east: 180,
            north: 90,
          }
          const longitude = west + right * (east - west)
          const found: Place = {
            latitude: Math.max(-90, Math.min(90, south + up * (north - south))),
            longitude: longitude < -180 ? longitude + 360 : longitude > 180 ? longitude - 360 : longitude,
          }
          const all = [...boxes].filter(([, bounds]) => contains(bounds, found)).map(([id]) => id)
          expect(grid.at(found).toSorted()).toEqual(all.toSorted())
        }
      },
    ),
    { numRuns: 500 },
  )
})
