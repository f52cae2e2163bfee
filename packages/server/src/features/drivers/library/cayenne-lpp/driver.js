// Cayenne LPP: a sequence of channel, type and value, big-endian. Values of a type are numbered in the order in which they
// come, so that the first temperature is `temperature` on every device.

const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16
const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s24 = (b, at) => ((b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8)) >> 8
const u32 = (b, at) => u16(b, at) * 65536 + u16(b, at + 2)
const s32 = (b, at) => u32(b, at) | 0

const one = (length, name, read) => [length, (put, b, at) => put(name, read(b, at))]
const bool = (name) => one(1, name, (b, at) => b[at] !== 0)

function axes(name, divisor) {
  return [
    6,
    (put, b, at) => {
      put(`${name}_x`, s16(b, at) / divisor)
      put(`${name}_y`, s16(b, at + 2) / divisor)
      put(`${name}_z`, s16(b, at + 4) / divisor)
    },
  ]
}

function position(length, read, divisor) {
  return [
    length * 2 + 3,
    (put, b, at) => {
      put('latitude', read(b, at) / divisor)
      put('longitude', read(b, at + length) / divisor)
      put('altitude', s24(b, at + length * 2) / 100)
    },
  ]
}

// What each type is: length of the value, and how it is read. From 116 on they are additions that RAK and others use.
const TYPES = {
  0: bool('external_input'),
  1: bool('output_on'),
  2: one(2, 'analog_value', (b, at) => s16(b, at) / 100),
  3: one(2, 'analog_value', (b, at) => s16(b, at) / 100),
  100: one(4, 'generic_value', u32),
  101: one(2, 'illuminance', u16),
  102: bool('occupied'),
  103: one(2, 'temperature', (b, at) => s16(b, at) / 10),
  104: one(1, 'humidity', (b, at) => b[at] / 2),
  112: one(2, 'humidity', (b, at) => u16(b, at) / 10),
  113: axes('acceleration', 1000),
  115: one(2, 'pressure', (b, at) => u16(b, at) / 10),
  116: one(2, 'voltage', (b, at) => u16(b, at) / 100),
  117: one(2, 'current', (b, at) => u16(b, at) / 1000),
  118: one(4, 'frequency', u32),
  120: one(1, 'percentage', (b, at) => b[at]),
  121: one(2, 'altitude', s16),
  125: one(2, 'co2', u16),
  128: one(2, 'power', u16),
  // Millimetres.
  130: one(4, 'distance', u32),
  131: one(4, 'energy', (b, at) => u32(b, at) / 1000),
  132: one(2, 'heading', u16),
  133: [4],
  134: axes('rotation', 100),
  135: [3],
  136: position(3, s24, 1e4),
  137: position(4, s32, 1e6),
  142: bool('switch_on'),
}

function decodeUplink(input) {
  const bytes = input.bytes
  const data = {}
  const seen = {}
  function put(name, value) {
    seen[name] = (seen[name] || 0) + 1
    data[seen[name] === 1 ? name : `${name}_${seen[name]}`] = value
  }
  let at = 0
  while (at + 1 < bytes.length) {
    const type = TYPES[bytes[at + 1]]
    if (type === undefined || at + 2 + type[0] > bytes.length) {
      if (at === 0) return { errors: ['The message is not Cayenne LPP'] }
      return { data, warnings: ['A value of this message cannot be read, nor what follows it'] }
    }
    if (type[1] !== undefined) type[1](put, bytes, at + 2)
    at += 2 + type[0]
  }
  if (at === 0) return { errors: ['The message is too short'] }
  return { data }
}
