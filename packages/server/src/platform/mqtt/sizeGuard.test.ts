import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SizeGuard } from './sizeGuard.ts'

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
        const guard = new SizeGuard(300)
        const bytes = Uint8Array.from(sizes.flatMap((size) => [...packet(size)]))
        for (let at = 0; at < bytes.length; at += chunkBytes) {
          expect(guard.inspect(bytes.subarray(at, at + chunkBytes))).toBeNull()
        }
        expect(guard.inspect(packet(301).subarray(0, 3))).toBe(301)
      },
    ),
  )
})

test('a packet is refused by its head alone', () => {
  expect(new SizeGuard(1_048_576).inspect(Uint8Array.from([0x30, 0xff, 0xff, 0xff, 0x7f]))).toBe(268_435_455)
  expect(new SizeGuard(100).inspect(Uint8Array.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x01]))).toBe(
    Number.POSITIVE_INFINITY,
  )
})
