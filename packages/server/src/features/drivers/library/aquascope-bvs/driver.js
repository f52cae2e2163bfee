// AQUASCOPE BVS: ball valve with a leak detector. Port 10, after a switch port 16 without the leak.
// 0 state: 0x01 leak, 0x20 valve open | 2-3 temperature, of which published packets only show 0 °C

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 10 && input.fPort !== 16) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 4) return { errors: ['The message is too short'] }
  const data = {
    valve_open: (bytes[0] & 0x20) !== 0,
    temperature: (((bytes[2] << 8) | bytes[3]) << 16) >> 16,
  }
  if (input.fPort === 10) data.water_leak = (bytes[0] & 0x01) !== 0
  return { data }
}
