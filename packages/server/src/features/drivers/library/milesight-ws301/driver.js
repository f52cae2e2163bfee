// Milesight WS301: door and window contact. A sequence of channel, type and value, little-endian, usually on port 85.

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  373: [1, (d, b, at) => (d.battery = b[at])],
  768: [1, (d, b, at) => (d.open = b[at] !== 0)],
  1024: [1, (d, b, at) => (d.tamper = b[at] !== 0)],
  ...aboutDevice(),
}
