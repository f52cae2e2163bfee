import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { dot, png, pngChunk, pngHeader } from '../../../test/pictures.ts'
import { cleanPng } from './png.ts'

const square = { sideMax: 1024, isSquare: true }
const free = { sideMax: 4096 }
const signature = png(1, 1).subarray(0, 8)
const end = pngChunk('IEND', Buffer.alloc(0))
const idat = (bytes: Uint8Array) => pngChunk('IDAT', deflateSync(bytes))
const whole = (...parts: Buffer[]) => Buffer.concat([signature, ...parts])

test('a still picture is kept as it is, with what belongs to its pixels', async () => {
  expect(await cleanPng(png(64, 64), square)).toEqual({ width: 64, height: 64, bytes: png(64, 64) })
  expect(await cleanPng(dot, square)).toMatchObject({ width: 1, height: 1 })
  expect(await cleanPng(png(400, 100), free)).toMatchObject({ width: 400, height: 100 })
})

test('texts, positions and what follows the end are left out', async () => {
  const extra = [pngChunk('tEXt', Buffer.from('Author\0Jane')), pngChunk('eXIf', Buffer.alloc(9))]
  const dirty = Buffer.concat([png(8, 8, { extra }), Buffer.from('<script>alert(1)</script>')])
  expect(await cleanPng(dirty, square)).toEqual({ width: 8, height: 8, bytes: png(8, 8) })
})

test.each([
  ['another format', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'noPng'],
  ['a GIF', Buffer.from('GIF89a\u0001\u0000'), 'noPng'],
  ['nothing', Buffer.alloc(0), 'noPng'],
  ['only the start', signature, 'broken'],
  ['cut off', png(8, 8).subarray(0, -4), 'broken'],
  ['a wrong checksum', png(8, 8).fill(7, 30, 31), 'broken'],
  ['a chunk longer than the file', whole(Buffer.from('7fffffff49484452', 'hex'), Buffer.alloc(8)), 'broken'],
  ['no size', whole(pngHeader(0, 0), idat(Buffer.alloc(4)), end), 'broken'],
  ['two headers', whole(pngHeader(1, 1), pngHeader(1, 1), idat(Buffer.alloc(4)), end), 'broken'],
  ['no pixels', whole(pngHeader(1, 1), end), 'broken'],
  ['pixels that are no data', whole(pngHeader(1, 1), pngChunk('IDAT', Buffer.from('zzzz')), end), 'broken'],
  ['more pixels than its size has', whole(pngHeader(8, 8), idat(Buffer.alloc(9_000_000)), end), 'broken'],
  ['animated', png(8, 8, { extra: [pngChunk('acTL', Buffer.alloc(8))] }), 'animated'],
  ['not square', png(64, 32), 'notSquare'],
  ['too large', whole(pngHeader(60_000, 60_000), idat(Buffer.alloc(4)), end), 'tooLarge'],
] as const)('%s is refused', async (_, bytes, reason) => {
  expect(await cleanPng(bytes, square)).toBe(reason)
})

test('a picture that need not be square has a limit of its own', async () => {
  expect(await cleanPng(png(1025, 1025), square)).toBe('tooLarge')
  expect(await cleanPng(png(1025, 1025), free)).toMatchObject({ width: 1025 })
  expect(await cleanPng(png(4097, 1), free)).toBe('tooLarge')
})
