import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextBody, sequenceOf, simulatedDevice, valuesOf } from './uplinks.ts'

interface Body {
  end_device_ids: { dev_eui: string }
  received_at: string
  uplink_message: { f_cnt: number; frm_payload: string }
}

test('the values carry the sequence number', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), (sequence) => {
      const { illuminance, co2 } = valuesOf(sequence)
      expect(illuminance).toBeLessThan(0x10000)
      expect(co2).toBeLessThan(0x10000)
      expect(sequenceOf({ illuminance, co2 })).toBe(sequence)
    }),
  )
})

test('messages of a device count up and never share a millisecond', () => {
  const device = simulatedDevice(7)
  const [first, second] = [nextBody(device, 1, 1000), nextBody(device, 2, 1000)].map(
    (text) => JSON.parse(text) as Body,
  )
  expect(first?.end_device_ids.dev_eui).toBe('70B3D57ED1000007')
  expect(first?.uplink_message.f_cnt).toBe(1)
  expect(second?.uplink_message.f_cnt).toBe(2)
  expect(first?.received_at).toBe('1970-01-01T00:00:01.000000000Z')
  expect(second?.received_at).toBe('1970-01-01T00:00:01.001000000Z')
  expect(Buffer.from(first?.uplink_message.frm_payload ?? '', 'base64').length).toBe(2 + 1 + 2 + 2 + 4)
})
