import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pictureSize } from './picture.ts'

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
const webp = (chunk: string) => bytes(`52494646 24000000 57454250 ${chunk}`)

test.each([
  [
    'JPEG with a segment before the frame',
    'image/jpeg',
    bytes('ffd8 ffe00004 0000 ffc0 0011 08 00f0 0140 03'),
    320,
    240,
  ],
  ['progressive JPEG', 'image/jpeg', bytes('ffd8 ffc2 0011 08 0010 0020 03'), 32, 16],
  ['lossy WebP', 'image/webp', webp('56503820 18000000 300100 9d012a 4001 f000 0000'), 320, 240],
  ['lossless WebP', 'image/webp', webp('5650384c 18000000 2f 3fc13b00 0000000000'), 320, 240],
  ['extended WebP', 'image/webp', webp('56503858 0a000000 00000000 3f0100 ef0000 0000'), 320, 240],
])('%s', (_, type, picture, width, height) => {
  expect(pictureSize(picture, type)).toEqual({ width, height })
})

test('whatever it reads, it answers a size or nothing', () => {
  const types = fc.constantFrom('image/png', 'image/jpeg', 'image/webp')
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), types, (noise, type) => {
      const size = pictureSize(noise, type)
      expect(size === undefined || (size.width > 0 && size.height > 0)).toBe(true)
      const started = bytes('ffd8').length > 0 ? new Uint8Array([0xff, 0xd8, ...noise]) : noise
      pictureSize(started, 'image/jpeg')
    }),
  )
})
