// Decentlab DL-DLR2-005: voltage input.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// A bridge of resistors measured with 24 bits.
const ratio = (low, high) => (low + high * 65536) / 8388608 - 1

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  { words: 2, read: (x) => ({ analog_voltage: 3 * ratio(x[0], x[1]) }) },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
