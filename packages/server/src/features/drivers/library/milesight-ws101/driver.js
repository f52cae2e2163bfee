// Milesight WS101: button with short, long and double press. A sequence of channel, type and value, little-endian, usually on port 85.

const EVENTS = { 1: 'short', 2: 'long', 3: 'double' }

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  373: [1, (d, b, at) => (d.battery = b[at])],
  65326: [
    1,
    (d, b, at) => {
      d.button_pressed = true
      d.button_event = EVENTS[b[at]] || 'other'
    },
  ],
  ...aboutDevice(),
}
