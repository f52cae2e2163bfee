// Decentlab DL-DLR2-008: input for a platinum temperature probe.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// The probe stands in a divider with a resistor of this many ohms, measured with 24 bits.
const RESISTOR = 2000

function temperature(low, high) {
  const share = ((low + high * 65536) / 8388608 - 1) / 2
  const ohms = (share * RESISTOR) / (1 - share)
  return -244.83 + 2.3419 * ohms + 0.0010664 * ohms ** 2
}

// What follows for each flag: number of words, and what they (x) mean.
const GROUPS = [
  { words: 2, read: (x) => ({ temperature: temperature(x[0], x[1]) }) },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
