// Parametric PCR2: people counter. Port 14, big-endian; left to right counts as in.
// Extended: be 01 version | in | out | in, total | out, total | battery | solar power | temperature; short: 0a in 16 out 01 temperature

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16

function decodeUplink(input) {
  const bytes = input.bytes
  if (bytes.length >= 17 && bytes[0] === 0xbe && bytes[1] === 0x01) {
    const data = {
      people_in: u16(bytes, 3),
      people_out: u16(bytes, 5),
      people_in_total: u16(bytes, 7),
      people_out_total: u16(bytes, 9),
      internal_temperature: s16(bytes, bytes.length - 2) / 10,
    }
    // Only with a solar charger.
    if (u16(bytes, 11) !== 0) {
      data.battery_voltage = u16(bytes, 11) / 1000
      data.solar_power = u16(bytes, 13)
    }
    return { data }
  }
  if (input.fPort !== 14) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 9 || bytes[0] !== 0x0a || bytes[3] !== 0x16 || bytes[6] !== 0x01) {
    return { errors: ['The format of the message is not known'] }
  }
  return {
    data: { people_in: u16(bytes, 1), people_out: u16(bytes, 4), internal_temperature: s16(bytes, 7) / 10 },
  }
}
