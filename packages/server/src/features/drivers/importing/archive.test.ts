import { gunzipSync, gzipSync } from 'node:zlib'
import { importLimits } from '@leitstand/contract/driverImport'
import { strToU8, zipSync } from 'fflate'
import { pack } from 'tar-stream'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../platform/errors.ts'
import { readArchive } from './archive.ts'

async function tarOf(entries: Record<string, string>): Promise<Uint8Array> {
  const archive = pack()
  for (const [name, text] of Object.entries(entries)) archive.entry({ name }, text)
  archive.finalize()
  const chunks: Uint8Array[] = []
  for await (const chunk of archive) chunks.push(chunk as Uint8Array)
  return gzipSync(Buffer.concat(chunks))
}

const codeOf = async (bytes: Uint8Array) => {
  try {
    return [...(await readArchive(bytes)).keys()]
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

describe('an archive', () => {
  const texts = { 'a/b.yaml': 'x: 1', 'a/c.js': '1', 'a/photo.png': 'no', '__MACOSX/a/b.yaml': 'no' }

  test('of both kinds gives its texts, and neither pictures nor leftovers', async () => {
    const packed = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, strToU8(text)]))
    const expected = [...Object.entries(texts).slice(0, 2)]
    expect([...(await readArchive(zipSync(packed)))]).toEqual(expected)
    expect([...(await readArchive(await tarOf(texts)))]).toEqual(expected)
  })

  test('that unpacks to too much is refused, whatever it says of itself', async () => {
    const most = new Uint8Array(1_000_000)
    const bomb = zipSync(
      Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`${index}.yaml`, most])),
      { level: 1 },
    )
    expect(bomb.length).toBeLessThan(200_000)
    expect(await codeOf(bomb)).toBe('IMPORT_ARCHIVE_TOO_LARGE')
    expect(await codeOf(gzipSync(new Uint8Array(65 * 1_048_576)))).toBe('IMPORT_ARCHIVE_TOO_LARGE')
    // Claims one byte in both headers, holds a million.
    const lying = zipSync({ 'a.yaml': most })
    const claim = (offset: number) => new DataView(lying.buffer).setUint32(offset, 1, true)
    claim(22)
    claim(lying.length - 22 - 46 - 'a.yaml'.length + 24)
    const answered = await readArchive(lying).then(
      (files) => files.get('a.yaml')?.length ?? 0,
      (error: unknown) => (error instanceof AppError ? error.code : error),
    )
    expect([1, 'IMPORT_ARCHIVE_UNREADABLE']).toContain(answered)
  })

  test('that is none is refused', async () => {
    expect(await codeOf(strToU8('hello'))).toBe('IMPORT_ARCHIVE_UNREADABLE')
    expect(await codeOf(strToU8('PK and nothing behind it'))).toBe('IMPORT_ARCHIVE_UNREADABLE')
    expect(await codeOf(gzipSync('no tar'.repeat(200)))).toBe('IMPORT_ARCHIVE_UNREADABLE')
  })

  test.each(['x.yaml', 'x.yml', 'x.YAML', 'x.toml', 'x.js', 'x.json', 'my__MACOSX/x.js'])(
    'gives %s',
    async (name) => {
      expect(await codeOf(zipSync({ [name]: strToU8('1') }))).toEqual([name])
      expect(await codeOf(await tarOf({ [`./${name}`]: '1' }))).toEqual([name])
    },
  )

  test.each(['x.yaml.bak', 'x.jsx', 'yaml', 'node_modules/x.js', 'a/.git/x.json', '__MACOSX/x.js'])(
    'does not give %s',
    async (name) => {
      expect(await codeOf(zipSync({ [name]: strToU8('1') }))).toEqual([])
      expect(await codeOf(await tarOf({ [name]: '1' }))).toEqual([])
    },
  )

  test('skips files that are too large, and takes those of the maximum size', async () => {
    const most = importLimits.fileBytesMax
    const files = { 'large.json': 'x'.repeat(most + 1), 'most.json': 'x'.repeat(most) }
    expect(await codeOf(await tarOf(files))).toEqual(['most.json'])
  })

  test('with too many entries is refused, pictures and folders included', async () => {
    // An entry without content is a header; the archive ends with two empty blocks.
    const header = gunzipSync(await tarOf({ 'a.png': '' })).subarray(0, 512)
    const tarOfMany = (count: number) =>
      gzipSync(Buffer.concat([Buffer.alloc(512 * count, header), Buffer.alloc(1024)]), { level: 1 })
    expect(await codeOf(tarOfMany(importLimits.entriesMax))).toEqual([])
    expect(await codeOf(tarOfMany(importLimits.entriesMax + 1))).toBe('IMPORT_ARCHIVE_TOO_LARGE')
  })

  test('says why it cannot be read, and how much may be unpacked', async () => {
    await expect(readArchive(strToU8('hello'))).rejects.toThrow('neither ZIP nor tar.gz')
    await expect(readArchive(gzipSync('x').subarray(0, 12))).rejects.toThrow('The archive cannot be read: ')
    await expect(readArchive(gzipSync(new Uint8Array(65 * 1_048_576)))).rejects.toMatchObject({
      data: { bytesMax: importLimits.unpackedBytesMax },
    })
    for (const start of [
      [0x50, 0],
      [0, 0x4b],
      [0x1f, 0],
      [0, 0x8b],
    ])
      await expect(readArchive(new Uint8Array(start))).rejects.toThrow('neither ZIP nor tar.gz')
  })
})
