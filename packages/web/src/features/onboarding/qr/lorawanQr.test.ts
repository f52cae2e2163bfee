import fc from 'fast-check'
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

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789ABCDEF'), minLength: length, maxLength: length })

it('reads every label without a checksum as it is printed', () => {
  const serial = fc.string({ unit: fc.constantFrom(...'ABC0189'), minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(
      digits(16),
      digits(16),
      digits(8),
      fc.option(serial),
      (joinEui, devEui, profileId, serialNumber) => {
        const text = `LW:D0:${joinEui}:${devEui}:${profileId}${serialNumber === null ? '' : `:S${serialNumber}`}`
        const label = { joinEui, devEui, profileId }
        expect(readLabel(text)).toEqual({ label: serialNumber === null ? label : { ...label, serialNumber } })
      },
    ),
  )
})

it('finds every single wrong character of a label with a checksum', () => {
  const label = `${plain}:OAABBCCDDEEFF:SYYWWNNNNNN:PFOOBAR:CAF2C`
  const content = label.slice(0, -6)
  fc.assert(
    fc.property(
      fc.nat({ max: content.length - 1 }),
      fc.constantFrom(...'0123456789ABCDEFXYZ'),
      (at, char) => {
        fc.pre(content[at] !== char)
        const read = readLabel(content.slice(0, at) + char + content.slice(at + 1) + label.slice(-6))
        expect(read).toHaveProperty('fault')
      },
    ),
  )
})

it.each([
  ['a checksum of three digits is text', `${plain}:CAF2`, { label: euis }],
  ['a checksum before other fields is text', `${plain}:C0000:S1`, { label: { ...euis, serialNumber: '1' } }],
  ['the first of two serial numbers counts', `${plain}:S1:S2`, { label: { ...euis, serialNumber: '1' } }],
  ['an empty serial number is none', `${plain}:S`, { label: euis }],
  ['an owner token is not passed on', `${plain}:O1234`, { label: euis }],
  ['a separator at the end', `${plain}:`, { label: euis }],
])('%s', (_name, text, reading) => expect(readLabel(text)).toEqual(reading))

it.each(['a81758fffe000002', 'A8 17 58 FF FE 00 00 02', 'a8:17:58:ff:fe:00:00:02', '0xA81758FFFE000002'])(
  '%s is an EUI alone',
  (text) => expect(readLabel(text)).toEqual({ label: { devEui: 'A81758FFFE000002' } }),
)

it('the owner token, a secret for claiming, is never kept', () => {
  const read = readLabel(`${plain}:OSECRET:S4711:PSECRET`)
  expect(JSON.stringify(read)).not.toContain('SECRET')
})

it.each([
  ['before it', `${plain}:S4711:OAABB`],
  ['behind it', `${plain}:OAABB:S4711`],
  ['without it', `${plain}:S4711`],
])('fields may be in any order: an owner token %s', (_name, text) => {
  expect(readLabel(text)).toEqual({ label: { ...euis, serialNumber: '4711' } })
})

it.each(['C0000', 'CFFFF', 'CAF2D'])(
  'a label that was damaged, with the checksum %s, is not taken',
  (checksum) => {
    expect(readLabel(`${plain}:OAABBCCDDEEFF:SYYWWNNNNNN:PFOOBAR:${checksum}`)).toEqual({ fault: 'checksum' })
  },
)

it('any text is read or refused, and what is read is an EUI', () => {
  const part = fc.oneof(
    fc.string(),
    fc.constantFrom('LW', 'D0', ':', '0011223344556677', 'AABB1122', 'CAF2C'),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 9 }), fc.constantFrom(':', ''), (parts, separator) => {
      const read = readLabel(parts.join(separator))
      if ('label' in read) expect(read.label.devEui).toMatch(/^[0-9A-F]{16}$/)
      else expect(['unknown', 'checksum']).toContain(read.fault)
    }),
  )
})
