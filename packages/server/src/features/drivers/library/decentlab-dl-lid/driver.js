// Decentlab DL-LID: distance by laser, with statistics.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  {
    words: 11,
    read: (x) => ({
      distance: x[0],
      distance_min: x[1],
      distance_max: x[2],
      distance_median: x[3],
      distance_p10: x[4],
      distance_p25: x[5],
      distance_p75: x[6],
      distance_p90: x[7],
      distance_mode: x[8],
      sample_count: x[9],
      measuring_time: (x[10] * 1000) / 1024,
    }),
  },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
