import { strToU8, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { ZipError, zipEntries } from './zip.ts'

const read = (bytes: Uint8Array, entriesMax = 100) => {
  try {
    return zipEntries(bytes, entriesMax).map((entry) => [entry.name, new TextDecoder().decode(entry.read())])
  } catch (error) {
    if (error instanceof ZipError) return error.isTooLarge ? 'too large' : error.message
    throw error
  }
}

const plain = () =>
  zipSync({ 'a.txt': strToU8('a'.repeat(5000)), 'b/ü.txt': [strToU8('stored'), { level: 0 }] })
/** The archive with one number of a header changed. */
function changed(at: number, value: number, bytes = plain()) {
  const size = value > 0xffff ? 4 : 2
  const view = new DataView(bytes.buffer)
  const from = at < 0 ? bytes.length + at : at
  if (size === 4) view.setUint32(from, value, true)
  else view.setUint16(from, value, true)
  return bytes
}
/** Where the directory begins. */
const directory = () => new DataView(plain().buffer).getUint32(plain().length - 6, true)

test('entries are listed by the directory and unpacked one by one', () => {
  expect(read(plain())).toEqual([
    ['a.txt', 'a'.repeat(5000)],
    ['b/ü.txt', 'stored'],
  ])
  expect(read(zipSync({}))).toEqual([])
})

test('more entries than allowed, and ZIP64, are refused before one is looked at', () => {
  expect(read(plain(), 1)).toBe('too large')
  const both = changed(-12, 0xffff, changed(-14, 0xffff))
  expect(read(both)).toBe('too large')
})

test('entries that overlap, lie elsewhere or claim what cannot be are refused', () => {
  const at = directory()
  // Moves the second entry to the offset of the first.
  const second = at + 46 + 'a.txt'.length
  expect(read(changed(second + 42, 0))).toBe('its entries overlap')
  expect(read(changed(at + 42, 0x7fffffff))).toBe('an entry is not where the directory says')
  expect(read(changed(at + 20, 0x7fffffff))).toBe('an entry lies outside of the archive')
  expect(read(changed(at + 24, 0x7fffffff))).toBe('an entry claims to be packed tighter than possible')
  expect(read(changed(at + 24, 100))).toBe('an entry is larger than it claims')
  expect(read(changed(at + 24, 6000))).toBe('an entry is not as large as it claims')
  expect(read(changed(at + 10, 99))).toBe('an entry is packed in a way that is not read')
  expect(read(changed(at + 8, 1))).toBe('an entry is encrypted')
  expect(read(changed(at + 28, 0xffff))).toBe('its directory is broken')
  expect(read(changed(-6, 0x7fffffff))).toBe('its directory lies outside of it')
})

test('what is more than one plain archive is refused with its reason', () => {
  const at = directory()
  expect(read(changed(-14, 1))).toBe('it is one part of several')
  expect(read(changed(-18, 1))).toBe('it is one part of several')
  expect(read(changed(-10, 0xffffffff))).toBe('too large')
  expect(read(changed(-6, 0xffffffff))).toBe('too large')
  expect(read(strToU8('x'.repeat(100)))).toBe('it has no directory')
  expect(read(changed(at, 0x01024b50))).toBe('its directory is broken')
  expect(read(changed(0, 0x01034b50))).toBe('an entry is not where the directory says')
  const three = changed(-14, 3, changed(-12, 3))
  expect(read(three)).toBe('its directory is broken')
  const damaged = plain()
  damaged.fill(0xff, 35, 40)
  expect(read(damaged)).toBe('an entry is broken')
})

test('an archive is found before its comment, and may have as many entries as allowed', () => {
  const bytes = new Uint8Array([...plain(), ...strToU8('a comment')])
  expect(read(bytes, 2)).toHaveLength(2)
})

test('entries may be listed in another order than they are stored in', () => {
  const bytes = plain()
  const at = directory()
  const [first, second] = [46 + 'a.txt'.length, 46 + strToU8('b/ü.txt').length]
  const swapped = bytes.slice()
  swapped.set(bytes.subarray(at + first, at + first + second), at)
  swapped.set(bytes.subarray(at, at + first), at + second)
  expect(read(swapped)).toEqual([
    ['b/ü.txt', 'stored'],
    ['a.txt', 'a'.repeat(5000)],
  ])
})

test('entries with long names are left out, those with extra fields are read', () => {
  const long = 'x'.repeat(1_001)
  const bytes = zipSync({
    [long]: strToU8('1'),
    [long.slice(1)]: strToU8('2'),
    'extra.txt': [strToU8('3'), { extra: { 1: new Uint8Array(300) }, comment: 'y'.repeat(300) }],
    empty: new Uint8Array(),
  })
  expect(read(bytes)).toEqual([
    [long.slice(1), '2'],
    ['extra.txt', '3'],
    ['empty', ''],
  ])
})

test('every archive cut short or with a byte changed is read or refused, and nothing else', () => {
  const whole = plain()
  for (let at = 0; at < whole.length; at++) {
    const cut = read(whole.slice(0, at))
    expect(typeof cut).toBe('string')
    const damaged = plain()
    damaged[at] = (damaged[at] ?? 0) ^ 0xff
    read(damaged)
  }
})
