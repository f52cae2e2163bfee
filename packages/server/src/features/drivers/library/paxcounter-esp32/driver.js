// ESP32-Paxcounter: counts radios. The port says what is sent; little-endian.
// 1 counts | 2 device | 4 position | 5 button | 7 climate | 8 battery; others carry settings

const u16 = (b, at) => b[at] | (b[at + 1] << 8)
const s16 = (b, at) => ((b[at] | (b[at + 1] << 8)) << 16) >> 16
const u32 = (b, at) => (b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24)) >>> 0

const PORTS = {
  1: [
    2,
    (b) => {
      const wifi = u16(b, 0)
      const ble = b.length >= 4 ? u16(b, 2) : 0
      return { wifi_count: wifi, ble_count: ble, people_count: wifi + ble }
    },
  ],
  2: [
    20,
    (b) => ({
      battery_voltage: u16(b, 0) / 1000,
      uptime: u32(b, 6),
      internal_temperature: b[10],
      free_memory: u32(b, 11),
      restart_count: u32(b, 16),
    }),
  ],
  4: [
    13,
    (b) => ({
      latitude: (u32(b, 0) | 0) / 1e6,
      longitude: (u32(b, 4) | 0) / 1e6,
      satellites: b[8],
      hdop: u16(b, 9) / 100,
      altitude: s16(b, 11),
    }),
  ],
  5: [1, (b) => ({ button_pressed: b[0] !== 0 })],
  7: [
    6,
    (b) => ({
      // The temperature alone comes high byte first.
      temperature: ((((b[0] << 8) | b[1]) << 16) >> 16) / 100,
      pressure: u16(b, 2) / 10,
      humidity: u16(b, 4) / 100,
    }),
  ],
  8: [2, (b) => ({ battery_voltage: u16(b, 0) / 1000 })],
}

function decodeUplink(input) {
  const bytes = input.bytes
  const known = PORTS[input.fPort]
  if (known === undefined) return { data: {}, warnings: ['A message about the device, nothing was measured'] }
  if (bytes.length < known[0]) return { errors: ['The message is too short'] }
  return { data: known[1](bytes) }
}
