// Decentlab DL-ZN2: growth of trees, two dendrometers.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// A bridge of resistors measured with 24 bits.
const ratio = (low, high) => (low + high * 65536) / 8388608 - 1

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  {
    words: 4,
    read: (x) => ({
      dendrometer: 20000 * ratio(x[0], x[1]),
      dendrometer_2: 20000 * (ratio(x[0], x[1]) - ratio(x[2], x[3])),
    }),
  },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
