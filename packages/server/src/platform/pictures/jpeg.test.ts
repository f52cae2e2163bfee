import { expect, test } from 'vitest'
import { cleanJpeg } from './jpeg.ts'

/** 8 × 8 pixels, in one scan and in several. */
const plain = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAIAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAb/xAAWEAEBAQAAAAAAAAAAAAAAAAAAFGH/xAAVAQEBAAAAAAAAAAAAAAAAAAAEBv/EABcRAAMBAAAAAAAAAAAAAAAAAAAEFVL/2gAMAwEAAhEDEQA/AJGzQFbGUyMrNaP/2Q==',
  'base64',
)
const progressive = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wgARCAAIAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAVAQEBAAAAAAAAAAAAAAAAAAADBf/aAAwDAQACEAMQAAABmCkv/8QAFRABAQAAAAAAAAAAAAAAAAAAABL/2gAIAQEAAQUCp//EABYRAAMAAAAAAAAAAAAAAAAAAAADFP/aAAgBAwEBPwGhh//EABcRAAMBAAAAAAAAAAAAAAAAAAADFFH/2gAIAQIBAT8BlXh//8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQAGPwJ//8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPyF//9oADAMBAAIAAwAAABAL/8QAFREBAQAAAAAAAAAAAAAAAAAAAGH/2gAIAQMBAT8Qs//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQIBAT8QL//EABUQAQEAAAAAAAAAAAAAAAAAAABx/9oACAEBAAE/EKf/2Q==',
  'base64',
)

function segment(marker: number, content: Uint8Array): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}
/** The picture with more segments behind its start. */
const withSegments = (...more: Buffer[]) => Buffer.concat([plain.subarray(0, 2), ...more, plain.subarray(2)])

/** Notes of a camera with one entry in their directory, in either order of bytes. */
function exif(tag: number, value: number, isLittle = true): Buffer {
  const notes = Buffer.alloc(26)
  notes.write(isLittle ? 'II*\0' : 'MM\0*', 'latin1')
  const word = (at: number, given: number) =>
    isLittle ? notes.writeUInt16LE(given, at) : notes.writeUInt16BE(given, at)
  if (isLittle) notes.writeUInt32LE(8, 4)
  else notes.writeUInt32BE(8, 4)
  word(8, 1)
  word(10, tag)
  word(12, 3)
  if (isLittle) notes.writeUInt32LE(1, 14)
  else notes.writeUInt32BE(1, 14)
  word(18, value)
  return segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), notes]))
}

test.each([
  ['in one scan', plain],
  ['in several scans', progressive],
])('a picture %s is kept as it is', (_, bytes) => {
  expect(cleanJpeg(bytes)).toEqual(bytes)
})

test('texts, positions, profiles, previews and what follows the end are left out', () => {
  const dirty = Buffer.concat([
    withSegments(
      segment(0xfe, Buffer.from('taken by Jane')),
      exif(0x8825, 1),
      segment(0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>')),
      segment(0xe2, Buffer.from('ICC_PROFILE\0')),
      segment(0xe0, Buffer.from('JFXX\0preview')),
      segment(0xed, Buffer.from('Photoshop 3.0\0')),
    ),
    Buffer.from('<script>alert(1)</script>'),
  ])
  expect(cleanJpeg(dirty)).toEqual(plain)
  const preview = Buffer.concat([
    Buffer.from('JFIF\0\u0001\u0001\0\0\u0001\0\u0001\u0001\u0001', 'latin1'),
    Buffer.alloc(3),
  ])
  expect(cleanJpeg(withSegments(segment(0xe0, preview)))).toEqual(
    withSegments(segment(0xe0, Buffer.concat([preview.subarray(0, 12), Buffer.alloc(2)]))),
  )
})

test('which side is up stays, in either order of bytes, and nothing else of the notes', () => {
  const turned = withSegments(exif(0x0112, 6, false))
  expect(cleanJpeg(turned)).toEqual(turned)
  expect(cleanJpeg(withSegments(exif(0x0112, 6)))).toEqual(turned)
  for (const nothing of [
    exif(0x0112, 1),
    exif(0x0112, 9),
    segment(0xe1, Buffer.from('Exif\0\0II*\0\xff\xff\xff\xff', 'latin1')),
  ])
    expect(cleanJpeg(withSegments(nothing))).toEqual(plain)
})

test('how colours are stored stays', () => {
  const adobe = segment(0xee, Buffer.from('Adobe\0d\0\0\0\0\u0001', 'latin1'))
  expect(cleanJpeg(withSegments(adobe))).toEqual(withSegments(adobe))
})

const frameAt = plain.indexOf(Buffer.from([0xff, 0xc0]))
const scanAt = plain.indexOf(Buffer.from([0xff, 0xda]))
test.each([
  ['nothing', Buffer.alloc(0)],
  ['only the start', plain.subarray(0, 2)],
  ['another format', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['no end', plain.subarray(0, -2)],
  ['no pixels', Buffer.concat([plain.subarray(0, scanAt), plain.subarray(-2)])],
  ['no frame', Buffer.concat([plain.subarray(0, frameAt), plain.subarray(frameAt + 13)])],
  [
    'two frames',
    Buffer.concat([plain.subarray(0, scanAt), plain.subarray(frameAt, frameAt + 13), plain.subarray(scanAt)]),
  ],
  [
    'a segment longer than the file',
    Buffer.concat([plain.subarray(0, scanAt), Buffer.from([0xff, 0xfe, 0xff, 0xff])]),
  ],
  ['a segment shorter than its length', withSegments(Buffer.from([0xff, 0xfe, 0, 1]))],
  ['something between segments', withSegments(Buffer.from('text'))],
  [
    'more segments than a picture has',
    withSegments(...Array.from({ length: 2_000 }, () => segment(0xfe, Buffer.alloc(0)))),
  ],
])('%s is refused', (_, bytes) => {
  expect(cleanJpeg(bytes)).toBeUndefined()
})

test('every cut of a picture is refused, and every changed byte gives a picture or nothing', () => {
  for (let length = 0; length < progressive.length; length++)
    expect(cleanJpeg(progressive.subarray(0, length))).toBeUndefined()
  for (let at = 0; at < progressive.length; at++) {
    const changed = Buffer.from(progressive)
    changed[at] = 0xff ^ (changed[at] as number)
    const clean = cleanJpeg(changed)
    if (clean !== undefined) expect(cleanJpeg(clean)).toEqual(clean)
  }
})
