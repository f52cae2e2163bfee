// Decentlab DL-KL66: strain and weight by a vibrating wire.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// The wire is counted for so many ticks of 32768 Hz. What its frequency means says the calibration on each device, for
// which a calculated variable is the place: (f² − f0²) × k / 10⁶.
const GROUPS = [
  { words: 3, read: (x) => ({ vibrating_wire_frequency: x[1] === 0 ? null : (x[0] / x[1]) * 32768 }) },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
