// Decentlab DL-TBRG: precipitation with a tipping bucket of 0.1 mm.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// One tip of the bucket in mm, as on the label; another one has to be entered here.
const TIP = 0.1

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  {
    words: 4,
    read: (x) => ({ rain: x[0] * TIP, rain_interval: x[1], rain_total: (x[2] + x[3] * 65536) * TIP }),
  },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
