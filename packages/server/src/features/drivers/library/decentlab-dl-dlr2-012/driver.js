// Decentlab DL-DLR2-012: strain gauge in a quarter bridge.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// A bridge of resistors measured with 24 bits.
const ratio = (low, high) => (low + high * 65536) / 8388608 - 1
// Gain of the bridge, and the factor on the package of the gauge; another one has to be entered here.
const GAIN = 64
const GAUGE_FACTOR = 2.02

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  { words: 2, read: (x) => ({ strain: ((ratio(x[0], x[1]) / GAIN) * 4 * 1e6) / GAUGE_FACTOR }) },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
