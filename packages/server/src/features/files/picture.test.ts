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

const png = (size: string, chunk = '49484452') => bytes(`89504e47 0d0a1a0a 0000000d ${chunk} ${size}`)

test('PNG, with nothing behind its size', () => {
  expect(pictureSize(png('00000140 000000f0'), 'image/png')).toEqual({ width: 320, height: 240 })
})

test.each([
  ['a PNG without a header', 'image/png', png('00000140 000000f0', '49444154')],
  ['a PNG that ends in its size', 'image/png', png('00000140 000000')],
  ['a PNG of no width', 'image/png', png('00000000 000000f0')],
  ['a PNG of no height', 'image/png', png('00000140 00000000')],
  ['a JPEG without a marker', 'image/jpeg', bytes('ffd8 00c0 0011 08 00f0 0140 03')],
  ['a JPEG that ends in its size', 'image/jpeg', bytes('ffd8 ffc0 0011 08 00f0 01')],
  ['a JPEG with a segment of no length', 'image/jpeg', bytes('ffd8 ffe0 0001 ffc0 0011 08 00f0 0140 03')],
  ['a WebP of an unknown kind', 'image/webp', webp('414c5048 0a000000 00000000 3f0100 ef0000 0000')],
  ['a WebP that ends in its size', 'image/webp', webp('56503858 0a000000 00000000 3f0100 ef00')],
])('%s has no size', (_, type, picture) => {
  expect(pictureSize(picture, type)).toBeUndefined()
})

test.each([
  ['tables before the frame', 'ffd8 ffc40004 0000 ffc80004 0000 ffcc0004 0000 ffc0 0011 08 00f0 0140 03'],
  ['an empty segment before the frame', 'ffd8 ffe00002 ffc0 0011 08 00f0 0140 03'],
  ['filling before the frame', 'ffd8 ffff ffc0 0011 08 00f0 0140 03'],
  ['an end right behind its size', 'ffd8 ffc0 0011 08 00f0 0140'],
  ['the last kind of frame', 'ffd8 ffcf 0011 08 00f0 0140 03'],
  ['a segment of a number beyond those of frames', 'ffd8 ffdb0004 0000 ffc0 0011 08 00f0 0140 03'],
])('a JPEG with %s', (_, hex) => {
  expect(pictureSize(bytes(hex), 'image/jpeg')).toEqual({ width: 320, height: 240 })
})

test('an extended WebP may be larger than 65 536 pixels', () => {
  const picture = webp('56503858 0a000000 00000000 000001 ffff01 0000')
  expect(pictureSize(picture, 'image/webp')).toEqual({ width: 65_537, height: 131_072 })
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
