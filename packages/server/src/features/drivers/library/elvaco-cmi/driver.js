// Elvaco CMi41x0: heat meter. One byte for the format, then records of M-Bus (EN 13757-3), little-endian.
// A record: how the value is coded (DIF), what it is and its power of ten (VIF), the value

// Length of the value for each coding; BCD has two digits for each byte.
const INTEGERS = { 1: 1, 2: 2, 3: 3, 4: 4, 6: 6, 7: 8 }
const DIGITS = { 9: 1, 10: 2, 11: 3, 12: 4 }

function integer(b, at, length) {
  let value = 0
  for (let i = length - 1; i >= 0; i--) value = value * 256 + b[at + i]
  return b[at + length - 1] & 0x80 ? value - 256 ** length : value
}
function digits(b, at, length) {
  let text = ''
  for (let i = length - 1; i >= 0; i--) text += (b[at + i] >> 4).toString(16) + (b[at + i] & 15).toString(16)
  return text
}
// The power of ten of a value; dividing keeps decimal places exact.
const scale = (value, power) => (power < 0 ? value / 10 ** -power : value * 10 ** power)

// What a VIF means: lowest and highest code, variable, power of ten of the lowest one in our unit.
const MEANINGS = [
  [0x00, 0x07, 'energy', -6],
  [0x10, 0x17, 'volume', -6],
  [0x28, 0x2f, 'power', -3],
  [0x38, 0x3f, 'flow', -6],
  [0x58, 0x5b, 'flow_temperature', -3],
  [0x5c, 0x5f, 'return_temperature', -3],
]
// Joules, for which 3 600 000 are a kilowatt-hour.
const JOULES = { from: 0x08, to: 0x0f, kilowattHours: 3600000 }

// Bits 4 and 5 of a DIF: 1 largest, 2 smallest, 3 measured during an error; bit 6: of an earlier day.
function isPresent(dif, warnings) {
  if ((dif & 0x30) === 0x30) warnings.push('The meter had an error when it measured a value')
  return (dif & 0x70) === 0
}
function read(data, b, { dif, vif, at, length }, warnings) {
  if (!isPresent(dif, warnings)) return
  const coded = DIGITS[dif & 0x0f] !== undefined
  const value = coded ? Number(digits(b, at, length)) : integer(b, at, length)
  if (vif === 0x78) data.meter_number = coded ? digits(b, at, length) : String(value)
  else if (vif >= JOULES.from && vif <= JOULES.to)
    data.energy = scale(value, vif - JOULES.from) / JOULES.kilowattHours
  else {
    const meaning = MEANINGS.find(([from, to]) => vif >= from && vif <= to)
    if (meaning) data[meaning[2]] = scale(value, meaning[3] + vif - meaning[0])
  }
}
// Codes of the maker: power, flow and both temperatures in one, alarms and the number of the meter in another.
function together(data, b, at) {
  const power = (b[at] >> 4) & 7
  const flow = b[at] & 7
  data.flow_temperature = integer(b, at + 1, 2) / 100
  data.return_temperature = integer(b, at + 3, 2) / 100
  data.flow = scale(integer(b, at + 5, 2), flow - 6)
  data.power = scale(integer(b, at + 7, 2), power - 3)
}
function identity(data, b, at) {
  data.error_code = b[at] | (b[at + 1] << 8)
  data.meter_number = digits(b, at + 2, 4)
}

function decodeUplink(input) {
  const bytes = input.bytes
  const data = {}
  const warnings = []
  let at = 1
  while (at + 1 < bytes.length) {
    const dif = bytes[at]
    const vif = bytes[at + 1]
    const length = INTEGERS[dif & 0x0f] || DIGITS[dif & 0x0f]
    // A second byte says more about either of them; two such records are known.
    const extended = vif === 0xff || vif === 0xfd
    const start = at + (extended ? 3 : 2)
    if ((dif & 0x80) !== 0 || length === undefined || start + length > bytes.length) {
      warnings.push('A record of this message cannot be read, nor what follows it')
      break
    }
    if (!extended) read(data, bytes, { dif, vif: vif & 0x7f, at: start, length }, warnings)
    else if (vif === 0xff && bytes[at + 2] === 0xa0 && dif === 0x07) {
      // The scale stands before eight bytes of values.
      if (start + 9 > bytes.length) return { errors: ['The message is shorter than it says'] }
      together(data, bytes, start)
      at = start + 9
      continue
    } else if (vif === 0xff && bytes[at + 2] === 0x21 && dif === 0x06) identity(data, bytes, start)
    else if (vif === 0xfd && bytes[at + 2] === 0x17) data.error_code = integer(bytes, start, length) & 0xffff
    at = start + length
  }
  if (Object.keys(data).length === 0)
    return { errors: warnings.length > 0 ? warnings : ['The message is too short'] }
  return { data, warnings }
}
