import { type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Compression, PMTiles, type Source } from 'pmtiles'
import * as z from 'zod'
import type { TileFile } from '../../mapTiles.ts'
import type { Context } from '../../platform/context.ts'

/** Requests for tiles of one address; a screen full of map needs about thirty. */
const perMinute = 3_000
/** Nothing in a file may be larger: a tile has 1 MB at most, and a part of the index less. */
const pieceBytesMax = 16_000_000

const Place = z.object({
  z: z.coerce.number().int().min(0).max(26),
  x: z.coerce.number().int().min(0),
  y: z.coerce.number().int().min(0),
})

const unpack = promisify(gunzip)

/** Serves the tiles of the installation's map, `/map/tiles/{z}/{x}/{y}`. They need no session. */
export function mountTiles({ http }: Pick<Context, 'http'>, file: TileFile): AsyncDisposable {
  const source = new TileSource(file)
  const index = new PMTiles(source, undefined, (bytes, compression) => source.unpacked(bytes, compression))
  http.get(
    '/map/tiles/:z/:x/:y',
    { config: { rateLimit: { max: perMinute, timeWindow: '1 minute' } } },
    async (request, reply) => {
      const place = Place.safeParse(request.params)
      if (!place.success) return reply.callNotFound()
      const { z, x, y } = place.data
      if (x >= 2 ** z || y >= 2 ** z) return reply.callNotFound()
      reply.header('cache-control', 'public, max-age=604800, immutable')
      const tile = await index.getZxy(z, x, y)
      if (!tile) return reply.status(204).send()
      if (file.header.tileCompression === Compression.Gzip) reply.header('content-encoding', 'gzip')
      return reply.type('application/vnd.mapbox-vector-tile').send(Buffer.from(tile.data))
    },
  )
  return source
}

/** Reads pieces of the file. */
class TileSource implements Source, AsyncDisposable {
  readonly #file: TileFile
  readonly #tiles = new WeakSet<ArrayBuffer>()
  #opened: Promise<FileHandle> | undefined

  constructor(file: TileFile) {
    this.#file = file
  }

  getKey(): string {
    return this.#file.path
  }

  async getBytes(offset: number, length: number): Promise<{ data: ArrayBuffer }> {
    if (length > pieceBytesMax) throw new Error(`A piece of ${length} bytes in ${this.#file.path}`)
    this.#opened ??= open(this.#file.path)
    const bytes = new ArrayBuffer(length)
    const { bytesRead } = await (await this.#opened).read(new Uint8Array(bytes), 0, length, offset)
    const data = bytesRead === length ? bytes : bytes.slice(0, bytesRead)
    const { tileDataOffset, tileDataLength = 0 } = this.#file.header
    if (offset >= tileDataOffset && offset < tileDataOffset + tileDataLength) this.#tiles.add(data)
    return { data }
  }

  /** Parts of the index, unpacked. Tiles stay as they are: browsers unpack them. */
  async unpacked(bytes: ArrayBuffer, compression: Compression): Promise<ArrayBuffer> {
    if (this.#tiles.has(bytes) || compression !== Compression.Gzip) return bytes
    const unpacked = await unpack(bytes, { maxOutputLength: pieceBytesMax })
    return new Uint8Array(unpacked).buffer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#opened)?.close()
  }
}
