// Milesight AT101: tracker. A sequence of channel, type and value, little-endian, usually on port 85.

const u16 = (b, at) => b[at] | (b[at + 1] << 8)
const s16 = (b, at) => (u16(b, at) << 16) >> 16
const u32 = (b, at) => u16(b, at) + u16(b, at + 2) * 65536

// Degrees in millionths. Where no satellite was seen, all bits are set.
function position(d, b, at, first, second) {
  const [one, two] = [u32(b, at), u32(b, at + 4)]
  if (one === 0xffffffff || two === 0xffffffff) return
  d[first] = (one | 0) / 1e6
  d[second] = (two | 0) / 1e6
}

// Lower 4 bits: 1, 2 moving, 3 stopped | upper 4 bits: 0 inside, 1 outside the area that was set
function motion(d, status) {
  if ((status & 0x0f) > 0) d.moving = (status & 0x0f) < 3
  if (status >> 4 < 2) d.outside_geofence = status >> 4 === 1
}

function wifi(d, b, at) {
  d.wifi_count = (d.wifi_count || 0) + 1
  const rssi = (b[at + 7] << 24) >> 24
  if (d.wifi_rssi === undefined || rssi > d.wifi_rssi) {
    d.wifi_rssi = rssi
    d.wifi_mac = b
      .slice(at + 1, at + 7)
      .map((byte) => (byte < 16 ? '0' : '') + byte.toString(16))
      .join(':')
  }
  motion(d, b[at + 8])
}

function earlier(d, b, at) {
  const entry = { time: new Date(u32(b, at) * 1000).toISOString() }
  position(entry, b, at + 4, 'longitude', 'latitude')
  d.history = (d.history || []).concat([entry])
}

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  373: [1, (d, b, at) => (d.battery = b[at])],
  871: [2, (d, b, at) => (d.internal_temperature = s16(b, at) / 10)],
  1160: [
    9,
    (d, b, at) => {
      position(d, b, at, 'latitude', 'longitude')
      motion(d, b[at + 8])
    },
  ],
  1280: [1, (d, b, at) => (d.tilted = b[at] !== 0)],
  1753: [9, wifi],
  1792: [1, (d, b, at) => (d.tamper = b[at] !== 0)],
  8398: [12, earlier],
  33639: [3, (d, b, at) => (d.internal_temperature = s16(b, at) / 10)],
  ...aboutDevice(),
}
