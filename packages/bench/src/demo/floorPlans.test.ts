import { inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { twins } from './city.ts'
import { drawFloor, outlineOf, type PlannedFloor, plannedFloors, roomOf } from './floorPlans.ts'

const floor: PlannedFloor = {
  rooms: { One: { box: [0, 0, 1, 1], door: 'east' }, Two: { box: [0, 1, 1, 2], door: 'south' } },
  others: [],
}

it('draws rooms with walls and doors, twice as wide as high, transparent where nothing is', () => {
  const png = drawFloor(floor, 1)
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  expect([width, height]).toEqual([1200, 604])
  const length = png.readUInt32BE(33)
  const rows = inflateSync(png.subarray(41, 41 + length))
  const at = (x: number, y: number) => [...rows.subarray(y * (4 * width + 1) + 1 + 4 * x).subarray(0, 4)]
  expect(at(300, 300)).toEqual([252, 250, 245, 255])
  expect(at(300, 2)).toEqual([70, 78, 86, 255])
  expect(at(600, 100), 'the wall between the rooms').toEqual([70, 78, 86, 255])
  expect(at(600, 302), 'the door in it').toEqual([252, 250, 245, 255])
  const withCourt = {
    ...floor,
    rooms: { ...floor.rooms, Three: { box: [-1, 0, 0, 1] as const, door: 'north' as const } },
  }
  expect(outlineOf(withCourt)).toEqual([-1, 0, 1, 2])
})

it('has a room for every room of a floor in the city', () => {
  const rooms = twins.filter(
    ({ type, parent }) => type === 'room' && parent !== null && parent in plannedFloors,
  )
  expect(rooms.length).toBe(12)
  for (const { title, geoPolygon } of rooms) {
    expect(roomOf(title)).toBeDefined()
    expect(geoPolygon?.coordinates[0]).toHaveLength(5)
  }
})
