import { Socket } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { guardPackets, SizeGuard } from './sizeGuard.ts'

/** A packet with a body of zeros. */
function packet(size: number): Uint8Array {
  const head = [0x30]
  let rest = size
  do {
    head.push((rest % 128) | (rest >= 128 ? 0x80 : 0))
    rest = Math.floor(rest / 128)
  } while (rest > 0)
  const bytes = new Uint8Array(head.length + size)
  bytes.set(head)
  return bytes
}

test('packets within the limit pass however they are cut into chunks', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 50 }),
      (sizes, chunkBytes) => {
        const guard = new SizeGuard({ bytesMax: 300 })
        const bytes = Uint8Array.from(sizes.flatMap((size) => [...packet(size)]))
        for (let at = 0; at < bytes.length; at += chunkBytes) {
          expect(guard.inspect(bytes.subarray(at, at + chunkBytes))).toBeNull()
        }
        expect(guard.inspect(packet(301).subarray(0, 3))).toBe('a packet of 301 bytes, allowed are 300')
      },
    ),
  )
})

test('a packet is refused by its head alone', () => {
  expect(new SizeGuard({ bytesMax: 1_048_576 }).inspect(Uint8Array.of(0x30, 0xff, 0xff, 0xff, 0x7f))).toBe(
    'a packet of 268435455 bytes, allowed are 1048576',
  )
  expect(new SizeGuard({ bytesMax: 100 }).inspect(Uint8Array.of(0x30, 0xff, 0xff, 0xff, 0xff, 0x01))).toBe(
    'a packet without a valid length',
  )
})

test.each([
  ['CONNECT', 0x10, null],
  ['PUBLISH', 0x32, null],
  ['SUBSCRIBE', 0x82, 'a packet of 65537 bytes, allowed are 65536'],
  ['UNSUBSCRIBE', 0xa2, 'a packet of 65537 bytes, allowed are 65536'],
])('a large %s', (_, head, problem) => {
  expect(new SizeGuard({ bytesMax: 1_048_576 }).inspect(Uint8Array.of(head, 0x81, 0x80, 0x04))).toBe(problem)
})

test('many small packets at once are refused unless they are messages', () => {
  const many = (count: number, packet: number[]) =>
    Uint8Array.from(Array.from({ length: count }, () => packet).flat())
  const inspected = (bytes: Uint8Array) => new SizeGuard({ bytesMax: 1_000 }).inspect(bytes)
  expect(inspected(many(5_000, [0xc0, 0]))).toBeNull()
  expect(inspected(many(5_001, [0xc0, 0]))).toBe('more than 5000 packets at once that are no messages')
  expect(inspected(many(5_001, [0x40, 2, 0, 1]))).toBe('more than 5000 packets at once that are no messages')
  expect(inspected(many(20_000, [0x30, 1, 0]))).toBeNull()
  const guard = new SizeGuard({ bytesMax: 1_000 })
  for (let chunk = 0; chunk < 3; chunk++) expect(guard.inspect(many(4_000, [0x40, 2, 0, 1]))).toBeNull()
})

test('a socket passes on what is within the limits, and is destroyed before anybody reads the rest', async () => {
  const socket = new Socket()
  const read: Buffer[] = []
  const problems: string[] = []
  socket.on('data', (chunk: Buffer) => read.push(chunk))
  guardPackets(socket, { bytesMax: 10 }, (problem) => problems.push(problem))
  const arrived = new Promise((resolve) => socket.once('data', resolve))
  socket.push(packet(10))
  await arrived
  expect(Buffer.concat(read)).toEqual(Buffer.from(packet(10)))
  expect(socket.destroyed).toBe(false)
  expect(socket.push(packet(11))).toBe(false)
  expect(problems).toEqual(['a packet of 11 bytes, allowed are 10'])
  expect(socket.destroyed).toBe(true)
  // What arrives afterwards is not looked at any more.
  socket.push(packet(12))
  expect(problems).toHaveLength(1)
  expect(Buffer.concat(read)).toEqual(Buffer.from(packet(10)))
})

test('the end of a connection is passed on', async () => {
  const socket = new Socket()
  guardPackets(socket, { bytesMax: 10 }, () => undefined)
  const ended = new Promise((resolve) => socket.once('end', resolve))
  socket.resume()
  socket.push(null)
  await ended
})
