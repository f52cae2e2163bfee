import { describe, expect, it } from 'vitest'
import type { MapPoint } from './MapView.tsx'
import { createMoves, diffOf, MoveQueue } from './moves.ts'

const move = (id: string, longitude: number) => ({ id, latitude: 51, longitude })
const point = (id: string, count?: number): MapPoint => ({
  id,
  latitude: 50,
  longitude: 10,
  title: id,
  ...(count === undefined ? {} : { count }),
})
const all = () => true

describe('positions that come', () => {
  it('are drawn once, the last of each point, if the point is single', () => {
    const queue = new MoveQueue()
    queue.add([move('1', 11), move('2', 11)], 0)
    queue.add([move('1', 12)], 1)
    expect(queue.isEmpty).toBe(false)
    expect(queue.take((id) => id === '1')).toMatchObject([move('1', 12)])
    expect(queue.isEmpty).toBe(true)
    expect(queue.take(all)).toEqual([])
  })

  it('replace those of points that were read at the same time, for a while', () => {
    const queue = new MoveQueue()
    queue.add([move('1', 11), move('3', 11)], 1_000)
    queue.take(all)
    const points = [point('1'), point('2'), point('3', 5)]
    expect(queue.applied(points, 4_000).map(({ longitude }) => longitude)).toEqual([11, 10, 10])
    expect(queue.applied(points, 4_001)).toBe(points)
  })

  it('that are not drawn yet are kept', () => {
    const queue = new MoveQueue()
    queue.add([move('1', 11)], 0)
    expect(queue.applied([point('1')], 60_000)[0]?.longitude).toBe(11)
    expect(queue.take(all)).toHaveLength(1)
  })

  it('are bounded: the oldest go', () => {
    const queue = new MoveQueue()
    queue.add(
      Array.from({ length: 20_001 }, (_, at) => move(String(at), 11)),
      0,
    )
    const taken = queue.take(all)
    expect([taken.length, taken[0]?.id]).toEqual([20_000, '1'])
  })

  it('change the geometry of their feature', () => {
    expect(diffOf([move('7', 11)])).toEqual({
      update: [{ id: '7', newGeometry: { type: 'Point', coordinates: [11, 51] } }],
    })
  })

  it('reach those who listen', () => {
    const moves = createMoves()
    const seen: unknown[] = []
    const stop = moves.listen((each) => seen.push(...each))
    moves.emit([move('1', 11)])
    stop()
    moves.emit([move('2', 11)])
    expect(seen).toEqual([move('1', 11)])
  })
})
