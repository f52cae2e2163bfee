import { expect, test } from 'vitest'
import { connectPacket, disconnectPacket, publishPacket, readPackets } from './mqttPacket.ts'

test('CONNECT with name and password, clean session', () => {
  expect(connectPacket('c', 'ab', 'pw', 60).toString('hex')).toBe(
    `1015${'00044d515454'}04c2003c${'000163'}${'00026162'}${'00027077'}`,
  )
})

test('PUBLISH with QoS 1, the length in one byte and in two', () => {
  expect(publishPacket('t', 0x0102, '{}').toString('hex')).toBe('3207000174' + '0102' + '7b7d')
  const long = publishPacket('t', 1, 'x'.repeat(300))
  // 305 = 2 · 128 + 49
  expect(long.subarray(0, 3).toString('hex')).toBe('32b102')
  expect(long.length).toBe(3 + 305)
})

test('DISCONNECT is two bytes', () => {
  expect(disconnectPacket().toString('hex')).toBe('e000')
})

test('whole packets are read, the rest is left', () => {
  const bytes = Buffer.from('20020000' + '40020102' + '4002', 'hex')
  expect(readPackets(bytes)).toEqual({
    packets: [
      { kind: 'connack', code: 0 },
      { kind: 'puback', id: 0x0102 },
    ],
    taken: 8,
  })
})

test.each(['30020000', '40030000'])('%s is nothing a publisher expects', (hex) => {
  expect(() => readPackets(Buffer.from(hex, 'hex'))).toThrow(/the broker sent/)
})
