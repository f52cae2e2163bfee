import { afterAll, describe, expect, test } from 'vitest'
import { AppError } from '../../platform/errors.ts'
import { createLog } from '../../platform/log.ts'
import { Reader } from '../../platform/reader/index.ts'
import { identify as identifyWith } from './identify.ts'

const reader = new Reader({ log: createLog('fatal'), limitHits: { note: () => {} } })
afterAll(() => reader[Symbol.asyncDispose]())

const identify = (bytes: Uint8Array, name: string, role: 'attachment' | 'picture') =>
  identifyWith(reader, { bytes, name, role, accountId: 1 })

const bytesOf = (...parts: (string | readonly number[])[]) =>
  new Uint8Array(
    parts.flatMap((part) => (typeof part === 'string' ? [...new TextEncoder().encode(part)] : [...part])),
  )

/** The header of a PNG; the rest is never read. */
function png(width: number, height: number): Uint8Array {
  const size = (value: number) => [24, 16, 8, 0].map((bits) => (value >>> bits) & 0xff)
  const head = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
  const rest = [8, 6, 0, 0, 0, 0, 0, 0, 0]
  return bytesOf(head, [0, 0, 0, 13], 'IHDR', size(width), size(height), rest, [0, 0, 0, 0], 'IDAT')
}

const refused = async (bytes: Uint8Array, name: string, role: 'attachment' | 'picture' = 'attachment') => {
  try {
    return await identify(bytes, name, role)
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

describe('the type of a file', () => {
  test('is that of its content, and its name ends accordingly', async () => {
    const pdf = bytesOf('%PDF-1.7\n')
    expect(await identify(pdf, 'Sheet.PDF', 'attachment')).toEqual({
      type: 'application/pdf',
      name: 'Sheet.PDF',
    })
    expect(await identify(pdf, 'holiday.exe', 'attachment')).toMatchObject({ name: 'holiday.exe.pdf' })
    expect(await identify(bytesOf('a;b\n1;2\n'), 'values.csv', 'attachment')).toEqual({
      type: 'text/plain',
      name: 'values.csv',
    })
    expect(await identify(png(10, 20), 'device.png', 'picture')).toMatchObject({ type: 'image/png' })
  })

  test('is refused where browsers would run it, or nobody knows it', async () => {
    const svg = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'
    expect(await refused(bytesOf(svg), 'picture.png')).toBe('FILE_TYPE_REFUSED')
    expect(await refused(bytesOf('<!DOCTYPE html><p>'), 'page.txt')).toBe('FILE_TYPE_REFUSED')
    expect(await refused(bytesOf('MZ', [0x90, 0, 3, 0, 0, 0]), 'tool.pdf')).toBe('FILE_TYPE_REFUSED')
    expect(await refused(bytesOf([0xff, 0x00, 0xc3, 0x28]), 'blob.txt')).toBe('FILE_TYPE_REFUSED')
    expect(await refused(bytesOf(), 'empty.txt')).toBe('FILE_EMPTY')
  })

  test('of a picture is JPEG, PNG or WebP, with sides that can be drawn', async () => {
    expect(await refused(bytesOf('%PDF-1.7\n'), 'a.png', 'picture')).toBe('FILE_NO_PICTURE')
    expect(await refused(png(40_000, 40_000), 'bomb.png', 'picture')).toBe('FILE_PICTURE_TOO_LARGE')
    expect(await refused(png(0, 5), 'none.png', 'picture')).toBe('FILE_NO_PICTURE')
  })

  test('leaves no folder, no control character and no more than 200 characters in a name', async () => {
    const nameOf = async (name: string) => (await identify(bytesOf('text'), name, 'attachment')).name
    expect(await nameOf('../../etc/notes.txt')).toBe('notes.txt')
    expect(await nameOf('C:\\docs\\a\r\nb.md')).toBe('ab.md')
    expect(await nameOf('.htaccess')).toBe('file.htaccess.txt')
    expect(await nameOf('')).toBe('file.txt')
    const long = await nameOf(`${'x'.repeat(400)}.csv`)
    expect([long.length, long.slice(-4)]).toEqual([200, '.csv'])
  })
})
