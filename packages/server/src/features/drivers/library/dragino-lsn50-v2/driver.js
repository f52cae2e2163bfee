// Dragino LSN50v2: sensor node. Port 2, big-endian. Mode 0: SHT probe; mode 3: three temperature probes.
// 0-1 battery | 2-3 temperature | 4-5 analogue input | 6 states, mode | 7-8 and 9-10 values

const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16
const u16 = (b, at) => (b[at] << 8) | b[at + 1]

// 0x7fff stands for a probe that is not there.
function put(data, name, tenths) {
  if (tenths !== 0x7fff) data[name] = tenths / 10
}

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 2) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 11) return { errors: ['The message is too short'] }
  const mode = (bytes[6] & 0x7c) >> 2
  const data = { battery_voltage: u16(bytes, 0) / 1000 }
  if (mode === 3) {
    put(data, 'external_temperature', s16(bytes, 7))
    put(data, 'external_temperature_2', s16(bytes, 2))
    put(data, 'external_temperature_3', s16(bytes, 9))
    data.interrupt = (bytes[6] & 0x01) !== 0
    return { data }
  }
  if (mode !== 0) return { data, warnings: [`Mode ${mode} is not read`] }
  // Without a probe the device sends 0, so exactly 0.0 °C cannot be told from that.
  if (s16(bytes, 2) !== 0) put(data, 'external_temperature', s16(bytes, 2))
  data.analog_voltage = u16(bytes, 4) / 1000
  data.external_input = (bytes[6] & 0x02) !== 0
  data.interrupt = (bytes[6] & 0x01) !== 0
  data.open = (bytes[6] & 0x80) === 0
  // In place of the climate probe there may be a light sensor; it leaves the place of the humidity empty.
  if (u16(bytes, 9) === 0) data.illuminance = u16(bytes, 7)
  else {
    put(data, 'temperature', s16(bytes, 7))
    if (u16(bytes, 9) <= 1000) data.humidity = u16(bytes, 9) / 10
  }
  return { data }
}
