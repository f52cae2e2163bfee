// Dragino LHT52. Big-endian. Ports 2 and 3 (from the log): 0-1 temperature | 2-3 humidity | 4-5 probe | 6 kind of it | 7-10 time
// Port 5: 0 model | 1-2 firmware | 3 band | 4 sub-band | 5-6 battery

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s16 = (b, at) => (u16(b, at) << 16) >> 16
const u32 = (b, at) => u16(b, at) * 65536 + u16(b, at + 2)

function read(bytes, at) {
  const data = {
    temperature: s16(bytes, at) / 100,
    humidity: u16(bytes, at + 2) / 10,
    time: new Date(u32(bytes, at + 7) * 1000).toISOString(),
  }
  // 0x7fff is what the device sends while nothing is plugged in.
  if (s16(bytes, at + 4) !== 0x7fff) data.external_temperature = s16(bytes, at + 4) / 100
  return data
}

function decodeUplink(input) {
  const bytes = input.bytes
  switch (input.fPort) {
    case 2:
      if (bytes.length < 11) return { errors: ['The message is too short'] }
      return { data: read(bytes, 0) }
    case 3: {
      const history = []
      for (let at = 0; at + 11 <= bytes.length; at += 11) history.push(read(bytes, at))
      return { data: { history } }
    }
    case 4:
      return { data: {}, warnings: ['A message about the device, nothing was measured'] }
    case 5:
      if (bytes.length < 7) return { errors: ['The message is too short'] }
      return { data: { firmware_version: u16(bytes, 1).toString(16), battery_voltage: u16(bytes, 5) / 1000 } }
    default:
      return { errors: [`Port ${input.fPort} is not known`] }
  }
}
