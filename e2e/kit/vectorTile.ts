/** Vector tiles (Mapbox Vector Tile 2.1), limited to what houses need. */

/** Units a tile has on each side. */
const extent = 4096
const commands = { moveTo: 1, lineTo: 2, closePath: 7 }
const wire = { number: 0, bytes: 2 }

export type Position = readonly [longitude: number, latitude: number]

export interface House {
  /** corners, clockwise as on the map; the first is not repeated */
  corners: readonly Position[]
  heightM: number
}

/** A tile with the layer `building` of the schema of OpenMapTiles; houses outside it are left out. */
export function buildingTile(houses: readonly House[], z: number, x: number, y: number): Buffer {
  const placed = houses
    .map(({ corners, heightM }) => ({ heightM, at: corners.map((corner) => within(corner, z, x, y)) }))
    .filter(({ at }) => at.some(([left, top]) => left >= 0 && left < extent && top >= 0 && top < extent))
  const heights = [...new Set(placed.map(({ heightM }) => heightM))]
  const layer = Buffer.concat([
    numberField(15, 2),
    bytesField(1, Buffer.from('building')),
    ...placed.map(({ at, heightM }) =>
      bytesField(
        2,
        Buffer.concat([
          bytesField(2, varints([0, heights.indexOf(heightM)])),
          numberField(3, 3),
          bytesField(4, ringOf(at)),
        ]),
      ),
    ),
    bytesField(3, Buffer.from('render_height')),
    ...heights.map((height) => bytesField(4, numberField(5, height))),
    numberField(5, extent),
  ])
  return bytesField(3, layer)
}

/** A tile that is water from edge to edge, in the schema of Protomaps. */
export function waterTile(): Buffer {
  const corners = [
    [0, 0],
    [extent, 0],
    [extent, extent],
    [0, extent],
  ] as const
  const feature = Buffer.concat([numberField(3, 3), bytesField(4, ringOf(corners))])
  const layer = Buffer.concat([
    numberField(15, 2),
    bytesField(1, Buffer.from('water')),
    bytesField(2, feature),
    numberField(5, extent),
  ])
  return bytesField(3, layer)
}

/** Units from the left and the top of a tile. */
function within([longitude, latitude]: Position, z: number, x: number, y: number): [number, number] {
  const sine = Math.sin((latitude * Math.PI) / 180)
  const east = (longitude + 180) / 360
  const south = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)
  return [Math.round((east * 2 ** z - x) * extent), Math.round((south * 2 ** z - y) * extent)]
}

/** Corners are encoded as the difference from the previous one. */
function ringOf(corners: readonly (readonly [number, number])[]): Buffer {
  const steps = corners.map(([left, top], index) => {
    const [beforeLeft, beforeTop] = corners[index - 1] ?? [0, 0]
    return [zigzag(left - beforeLeft), zigzag(top - beforeTop)]
  })
  const [first = [], ...others] = steps
  return varints([
    ...[(1 << 3) | commands.moveTo, ...first],
    ...[(others.length << 3) | commands.lineTo, ...others.flat()],
    (1 << 3) | commands.closePath,
  ])
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value
}

function numberField(field: number, value: number): Buffer {
  return varints([(field << 3) | wire.number, value])
}

function bytesField(field: number, bytes: Buffer): Buffer {
  return Buffer.concat([varints([(field << 3) | wire.bytes, bytes.length]), bytes])
}

function varints(values: readonly number[]): Buffer {
  const bytes: number[] = []
  for (const value of values) {
    let rest = value
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
    bytes.push(rest)
  }
  return Buffer.from(bytes)
}
