// Decentlab DL-DLR2-010: two pulse counters for any meters.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  {
    words: 4,
    read: (x) => ({ pulse_count_delta: x[0], pulse_interval: x[1], pulse_count: x[2] + x[3] * 65536 }),
  },
  {
    words: 4,
    read: (x) => ({ pulse_count_delta_2: x[0], pulse_interval_2: x[1], pulse_count_2: x[2] + x[3] * 65536 }),
  },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
