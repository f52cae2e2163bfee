import { expect, it } from 'vitest'
import { readLabel } from './lorawanQr.ts'

const plain = 'LW:D0:1122334455667788:AABBCCDDEEFF0011:AABB1122'
const euis = { joinEui: '1122334455667788', devEui: 'AABBCCDDEEFF0011', profileId: 'AABB1122' }

it.each([
  ['the least there can be', plain, euis],
  ['small letters and blanks around', `  ${plain.toLowerCase()}\n`, euis],
  [
    'owner token, serial number, proprietary part and checksum',
    `${plain}:OAABBCCDDEEFF:SYYWWNNNNNN:PFOOBAR:CAF2C`,
    { ...euis, serialNumber: 'YYWWNNNNNN' },
  ],
  ['a serial number without the fields before it', `${plain}:S4711`, { ...euis, serialNumber: '4711' }],
  ['an EUI alone', 'a8-17-58-ff-fe-00-00-02', { devEui: 'A81758FFFE000002' }],
])('a label with %s is read', (_name, text, label) => {
  expect(readLabel(text)).toEqual({ label })
})

it.each([
  ['another schema', 'LW:D1:1122334455667788:AABBCCDDEEFF0011:AABB1122'],
  ['a short DevEUI', 'LW:D0:1122334455667788:AABBCCDDEEFF001:AABB1122'],
  ['no profile', 'LW:D0:1122334455667788:AABBCCDDEEFF0011'],
  ['letters that are no digits', 'LW:D0:1122334455667788:AABBCCDDEEFF00XX:AABB1122'],
  ['an address', 'https://example.org/device/1'],
  ['nothing', ''],
])('%s is no label', (_name, text) => {
  expect(readLabel(text)).toEqual({ fault: 'unknown' })
})

it('a label with a wrong checksum is refused', () => {
  expect(readLabel(`${plain}:OAABBCCDDEEFF:SYYWWNNNNNN:PFOOBAR:CAF2D`)).toEqual({ fault: 'checksum' })
})
