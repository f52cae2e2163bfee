// TEKTELIC AC Outlet and AC Switch (Flux, Aura): a sequence of channel, type and value, big-endian, on port 10.
// The maker's tables give steps of 0.1 for voltage, current and power; only those of the voltage stand in a published
// packet. The counter of energy (0x00fe) is passed over: its unit is not published.

const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16
const u16 = (b, at) => (b[at] << 8) | b[at + 1]

const NONE = 0xffff

function put(d, name, raw) {
  if ((raw & NONE) !== NONE) d[name] = raw / 10
}

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  0: [1],
  1: [1, (d, b, at) => (d.switch_on = b[at] !== 0)],
  116: [2, (d, b, at) => put(d, 'voltage', u16(b, at))],
  117: [2, (d, b, at) => put(d, 'current', u16(b, at))],
  128: [2, (d, b, at) => put(d, 'power', s16(b, at))],
  129: [
    1,
    (d, b, at) => {
      if (b[at] <= 100) d.power_factor = b[at] / 100
    },
  ],
  254: [8],
  384: [2, (d, b, at) => put(d, 'apparent_power', u16(b, at))],
}
