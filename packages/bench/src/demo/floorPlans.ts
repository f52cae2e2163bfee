import { crc32, deflateSync } from 'node:zlib'

/** South, west, north and east in thousandths of a degree from the town hall, as in `near`. */
export type Box = readonly [south: number, west: number, north: number, east: number]

interface PlannedRoom {
  box: Box
  /** the wall with the door */
  door: 'north' | 'south' | 'east' | 'west'
}

export interface PlannedFloor {
  /** by title of the twin */
  rooms: Readonly<Record<string, PlannedRoom>>
  /** rooms that are no twins */
  others: readonly PlannedRoom[]
}

/** The floors of the demo city: invented, in the outlines of their buildings on the map. */
export const plannedFloors: Readonly<Record<string, PlannedFloor>> = {
  'Rathaus Erdgeschoss': {
    rooms: {
      Foyer: { box: [0.06, -0.1, 0.22, 0.1], door: 'south' },
      Bürgerbüro: { box: [-0.2, 0.14, 0.06, 0.3], door: 'west' },
      Serverraum: { box: [-0.2, -0.3, -0.06, -0.14], door: 'north' },
    },
    others: [
      { box: [0.06, 0.1, 0.22, 0.3], door: 'west' },
      { box: [0.06, -0.3, 0.22, -0.1], door: 'east' },
      { box: [-0.06, -0.3, 0.06, -0.14], door: 'north' },
    ],
  },
  'Rathaus Obergeschoss': {
    rooms: {
      Ratssaal: { box: [-0.2, 0.14, 0.06, 0.3], door: 'north' },
      'Büro 1.01': { box: [0.06, 0.1, 0.22, 0.3], door: 'west' },
      'Büro 1.02': { box: [0.06, -0.1, 0.22, 0.1], door: 'south' },
      'Büro 1.03': { box: [0.06, -0.3, 0.22, -0.1], door: 'east' },
    },
    others: [{ box: [-0.2, -0.3, 0.06, -0.14], door: 'north' }],
  },
  'Schule Erdgeschoss': {
    rooms: {
      'Klasse 1a': { box: [4.12, 3, 4.25, 3.1], door: 'south' },
      'Klasse 1b': { box: [4.12, 3.1, 4.25, 3.2], door: 'south' },
      'Klasse 2a': { box: [4.12, 3.2, 4.25, 3.3], door: 'south' },
      'Klasse 2b': { box: [4.12, 3.3, 4.25, 3.45], door: 'south' },
      Lehrerzimmer: { box: [4, 3.3, 4.12, 3.45], door: 'west' },
    },
    others: [],
  },
}

/** The room of a twin. */
export function roomOf(title: string): Box {
  for (const { rooms } of Object.values(plannedFloors)) {
    const room = rooms[title]
    if (room) return room.box
  }
  throw new Error(`no floor plan has a room ${title}`)
}

export const middleOf = ([south, west, north, east]: Box): [north: number, east: number] => [
  (south + north) / 2,
  (west + east) / 2,
]

const roomsOf = ({ rooms, others }: PlannedFloor) => [...Object.values(rooms), ...others]

/** The box around all rooms. */
export function outlineOf(floor: PlannedFloor): Box {
  const boxes = roomsOf(floor).map(({ box }) => box)
  const least = (at: number) => Math.min(...boxes.map((box) => box[at] as number))
  const most = (at: number) => Math.max(...boxes.map((box) => box[at] as number))
  return [least(0), least(1), most(2), most(3)]
}

/** Pixels of the longer side, of a wall and of a door. */
const size = { side: 1200, wall: 8, door: 70 }
type Colour = readonly [red: number, green: number, blue: number, opaque: number]
const floorColour: Colour = [252, 250, 245, 255]
const wallColour: Colour = [70, 78, 86, 255]

/**
 * The plan of a floor as PNG: rooms with walls and doors, transparent around them.
 * @param eastShare a degree to the east in degrees to the north, at this latitude
 */
export function drawFloor(floor: PlannedFloor, eastShare: number): Buffer {
  const [south, west, north, east] = outlineOf(floor)
  const [across, up] = [(east - west) * eastShare, north - south]
  const scale = (size.side - size.wall) / Math.max(across, up)
  const picture = new Picture(Math.round(across * scale) + size.wall, Math.round(up * scale) + size.wall)
  const edge = size.wall / 2
  const x = (degrees: number) => Math.round((degrees - west) * eastShare * scale) + edge
  const y = (degrees: number) => Math.round((north - degrees) * scale) + edge
  for (const { box } of roomsOf(floor)) picture.fill(x(box[1]), y(box[2]), x(box[3]), y(box[0]), floorColour)
  for (const { box } of roomsOf(floor)) {
    const [left, top, right, bottom] = [x(box[1]), y(box[2]), x(box[3]), y(box[0])]
    picture.fill(left - edge, top - edge, right + edge, top + edge, wallColour)
    picture.fill(left - edge, bottom - edge, right + edge, bottom + edge, wallColour)
    picture.fill(left - edge, top - edge, left + edge, bottom + edge, wallColour)
    picture.fill(right - edge, top - edge, right + edge, bottom + edge, wallColour)
  }
  for (const { box, door } of roomsOf(floor)) {
    const [left, top, right, bottom] = [x(box[1]), y(box[2]), x(box[3]), y(box[0])]
    const [middle, centre, half] = [(left + right) / 2, (top + bottom) / 2, size.door / 2]
    if (door === 'north' || door === 'south') {
      const at = door === 'north' ? top : bottom
      picture.fill(middle - half, at - edge, middle + half, at + edge, floorColour)
    } else {
      const at = door === 'west' ? left : right
      picture.fill(at - edge, centre - half, at + edge, centre + half, floorColour)
    }
  }
  return picture.toPng()
}

/** A picture to fill rectangles in. */
class Picture {
  readonly #width: number
  readonly #height: number
  readonly #pixels: Buffer

  constructor(width: number, height: number) {
    this.#width = width
    this.#height = height
    this.#pixels = Buffer.alloc(width * height * 4)
  }

  fill(left: number, top: number, right: number, bottom: number, colour: Colour): void {
    const within = (value: number, max: number) => Math.max(0, Math.min(max, Math.round(value)))
    for (let row = within(top, this.#height); row < within(bottom, this.#height); row++)
      for (let column = within(left, this.#width); column < within(right, this.#width); column++)
        this.#pixels.set(colour, 4 * (row * this.#width + column))
  }

  /** As PNG with eight bits a channel; every row is preceded by its filter, 0 for none. */
  toPng(): Buffer {
    const head = Buffer.alloc(13)
    head.writeUInt32BE(this.#width, 0)
    head.writeUInt32BE(this.#height, 4)
    head.set([8, 6, 0, 0, 0], 8)
    const bytes = 4 * this.#width
    const rows = Buffer.alloc(this.#height * (bytes + 1))
    for (let row = 0; row < this.#height; row++)
      this.#pixels.copy(rows, row * (bytes + 1) + 1, row * bytes, (row + 1) * bytes)
    const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    return Buffer.concat([
      signature,
      chunk('IHDR', head),
      chunk('IDAT', deflateSync(rows)),
      chunk('IEND', Buffer.alloc(0)),
    ])
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
