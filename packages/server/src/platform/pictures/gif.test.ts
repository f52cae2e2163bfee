import { expect, test } from 'vitest'
import { cleanGif } from './gif.ts'

/** Two frames of 4 × 4 pixels that are repeated. */
const moving = Buffer.from(
  'R0lGODlhBAAEAPAAAP8AAAAAACH5BAAAAAAAIf8LTkVUU0NBUEUyLjADAQAAACwAAAAABAAEAAACBISPCQUAIfkEAAAAAAAsAAAAAAQABACAAAD/AAAAAgSEjwkFADs=',
  'base64',
)
/** Where blocks begin: behind the header and its two colours. */
const first = 13 + 6
const withBlocks = (...more: Buffer[]) =>
  Buffer.concat([moving.subarray(0, first), ...more, moving.subarray(first)])
const extension = (label: number, ...blocks: Buffer[]) =>
  Buffer.concat([
    Buffer.from([0x21, label]),
    ...blocks.flatMap((block) => [Buffer.from([block.length]), block]),
    Buffer.from([0]),
  ])

test('frames and how they follow one another are kept as they are', () => {
  expect(cleanGif(moving)).toEqual(moving)
})

test('comments, texts, notes of programs and what follows the end are left out', () => {
  const dirty = Buffer.concat([
    withBlocks(
      extension(0xfe, Buffer.from('taken by Jane'), Buffer.from('at home')),
      extension(0xff, Buffer.from('XMP DataXMP'), Buffer.from('<x:xmpmeta/>')),
      extension(0x01, Buffer.alloc(12), Buffer.from('text')),
      extension(0x77, Buffer.from('unknown')),
    ),
    Buffer.from('<script>alert(1)</script>'),
  ])
  expect(cleanGif(dirty)).toEqual(moving)
})

const frameAt = moving.indexOf(0x2c)
const changed = (at: number, ...values: number[]) => {
  const bytes = Buffer.from(moving)
  bytes.set(values, at)
  return bytes
}
test.each([
  ['nothing', Buffer.alloc(0)],
  ['a header', Buffer.from('GIF89a')],
  ['another format', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['no frame', Buffer.concat([moving.subarray(0, first), Buffer.from([0x3b])])],
  ['a frame wider than the picture', changed(frameAt + 5, 0xff, 0xff)],
  ['a frame beside the picture', changed(frameAt + 1, 1)],
  ['a frame without a size', changed(frameAt + 7, 0)],
  ['codes that are too long', changed(frameAt + 10, 12)],
  ['a block that is none', withBlocks(Buffer.from('text'))],
  ['more blocks than a picture has', withBlocks(...Array.from({ length: 5_000 }, () => extension(0xfe)))],
])('%s is refused', (_, bytes) => {
  expect(cleanGif(bytes)).toBeUndefined()
})

test('every cut of a picture is refused, and every changed byte gives a picture or nothing', () => {
  for (let length = 0; length < moving.length; length++)
    expect(cleanGif(moving.subarray(0, length))).toBeUndefined()
  for (let at = 0; at < moving.length; at++) {
    const clean = cleanGif(changed(at, 0xff ^ (moving[at] as number)))
    if (clean !== undefined) expect(cleanGif(clean)).toEqual(clean)
  }
})
