import { describe, expect, it } from 'vitest'
import { boundsOfCorners, type Corners, cornersFault, cornersOfBounds } from './floors.ts'

/** About 70 m by 110 m. */
const upright = cornersOfBounds({ latitude: 49.001, longitude: 12.001 }, { latitude: 49, longitude: 12 })

describe('the corners of a plan', () => {
  it('are upright between north-east and south-west, and have these as their bounds', () => {
    expect(upright).toEqual([
      [12, 49.001],
      [12.001, 49.001],
      [12.001, 49],
      [12, 49],
    ])
    expect(boundsOfCorners(upright)).toEqual({
      northEast: { latitude: 49.001, longitude: 12.001 },
      southWest: { latitude: 49, longitude: 12 },
    })
  })

  it('may be turned in any direction', () => {
    const [a, b, c, d] = upright
    for (const turned of [upright, [b, c, d, a], [c, d, a, b], [d, a, b, c]] as Corners[])
      expect(cornersFault(turned)).toBeNull()
  })

  it.each([
    ['mirrored', [upright[1], upright[0], upright[3], upright[2]]],
    ['crossing', [upright[0], upright[2], upright[1], upright[3]]],
    ['on a line', [upright[0], upright[1], [12.0005, 49.001], [12.0002, 49.001]]],
    ['with a dent', [upright[0], upright[1], [12.0002, 49.0008], upright[3]]],
  ] as [string, Corners][])('are those of no plan when %s', (_, corners) => {
    expect(cornersFault(corners)).toBe('shape')
  })

  it.each([
    [0.000_001, 'size'],
    [0.000_02, null],
    [0.1, null],
    [0.5, 'size'],
  ])('may be a metre to 20 km apart: %s°', (degrees, fault) => {
    const corners = cornersOfBounds({ latitude: degrees, longitude: degrees }, { latitude: 0, longitude: 0 })
    expect(cornersFault(corners)).toBe(fault)
  })
})
