import { expect, test } from 'vitest'
import { type DriverPacket, toScriptInput } from './run.ts'

const time = new Date('2026-06-01T00:00:00.000Z')
const input = (packet: Partial<DriverPacket> & { payload: string }) => {
  const prepared = toScriptInput({ encoding: 'hex', time, ...packet })
  return 'input' in prepared ? prepared.input : prepared.problem
}

test.each<[Partial<DriverPacket> & { payload: string }, object | string]>([
  [{ payload: '0A1b' }, { bytes: '0a1b' }],
  [{ payload: '0x0A 1B-2c:3D', encoding: 'base16' }, { bytes: '0a1b2c3d' }],
  [{ payload: '' }, { bytes: '' }],
  [{ payload: '0A1' }, 'The payload is not valid hex'],
  [{ payload: 'zz', encoding: 'base16' }, 'The payload is not valid base16'],
  [{ payload: 'ChsqPQ==', encoding: 'base64' }, { bytes: '0a1b2a3d' }],
  [{ payload: '-_8', encoding: 'base64' }, { bytes: 'fbff' }],
  [{ payload: 'A', encoding: 'base64' }, 'The payload is not valid base64'],
  [{ payload: 'a b!', encoding: 'base64' }, 'The payload is not valid base64'],
  [{ payload: '{"a":1}', encoding: 'json' }, { payload: { a: 1 } }],
  [{ payload: '{"a"', encoding: 'json' }, 'The payload is not valid JSON'],
  [
    { payload: '00', fPort: 0, meta: { rssi: -1 } },
    { bytes: '00', fPort: 0, meta: { rssi: -1 } },
  ],
  [{ payload: '00', fPort: null }, { bytes: '00' }],
])('%j', (packet, expected) => {
  expect(input(packet)).toEqual(
    typeof expected === 'string' ? expected : { ...expected, time: '2026-06-01T00:00:00.000Z' },
  )
})
