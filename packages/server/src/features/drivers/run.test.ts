import { expect, test } from 'vitest'
import { startTestEngine } from '../../platform/scripts/testing.ts'
import { type DriverPacket, runDriver, toReady } from './run.ts'

const time = new Date('2026-06-01T00:00:00.000Z')
const ready = (packet: Partial<DriverPacket> & { payload: string }) => {
  const prepared = toReady({ encoding: 'hex', time, ...packet })
  return 'problem' in prepared ? prepared.problem.message : prepared
}

const bytes = (payload: string) => ({ payload, encoding: 'hex', fPort: null, meta: '{}', time })

test.each<[Partial<DriverPacket> & { payload: string }, object | string]>([
  [{ payload: '0A1b' }, bytes('0a1b')],
  [{ payload: '0x0A 1B-2c:3D', encoding: 'base16' }, bytes('0a1b2c3d')],
  [{ payload: '' }, bytes('')],
  [{ payload: '0A1' }, 'The payload is not valid hex'],
  [{ payload: 'zz', encoding: 'base16' }, 'The payload is not valid base16'],
  [{ payload: 'ChsqPQ==', encoding: 'base64' }, bytes('0a1b2a3d')],
  [{ payload: '-_8', encoding: 'base64' }, bytes('fbff')],
  [{ payload: 'A', encoding: 'base64' }, 'The payload is not valid base64'],
  [{ payload: 'a b!', encoding: 'base64' }, 'The payload is not valid base64'],
  [
    { payload: '{"a":1}', encoding: 'json' },
    { ...bytes('{"a":1}'), encoding: 'json' },
  ],
  [{ payload: '{"a"', encoding: 'json' }, 'The payload is not valid JSON'],
  [
    { payload: '00', fPort: 0, meta: { rssi: -1 } },
    { ...bytes('00'), fPort: 0, meta: '{"rssi":-1}' },
  ],
])('%j', (packet, expected) => {
  expect(ready(packet)).toEqual(expected)
})

test('where Elixir is not installed its packets are kept with that reason', async () => {
  await using test = await startTestEngine()
  const driver = {
    driverId: 1,
    number: 1,
    accountId: 1,
    parser: { kind: 'elixir' as const },
    script: 'defmodule A do end',
  }
  const packets = [{ payload: '00', encoding: 'hex' as const, time }]
  expect(await runDriver({ scripts: test.engine }, driver, packets, { dataAccountId: 1 })).toMatchObject([
    { error: { code: 'PARSER_ELIXIR_MISSING' }, measurements: [] },
  ])
})
