// Milesight EM310-UDL: ultrasonic distance with tilt detection. Channel, type and value, little-endian, port 85.

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  373: [1, (d, b, at) => (d.battery = b[at])],
  898: [2, (d, b, at) => (d.distance = b[at] | (b[at + 1] << 8))],
  1024: [1, (d, b, at) => (d.tilted = b[at] !== 0)],
  ...aboutDevice(),
}
