// Decentlab DL-DLR2-011: two digital inputs.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  { words: 1, read: (x) => ({ external_input: x[0] !== 0 }) },
  { words: 1, read: (x) => ({ external_input_2: x[0] !== 0 }) },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
