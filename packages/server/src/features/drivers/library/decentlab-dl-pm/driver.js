// Decentlab DL-PM: particulate matter with climate and air pressure.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
  {
    words: 10,
    read: (x) => ({
      pm1: x[0] / 10,
      pm2_5: x[1] / 10,
      pm4: x[2] / 10,
      pm10: x[3] / 10,
      particle_size: x[4],
      particles_0_5: x[5] / 10,
      particles_1: x[6] / 10,
      particles_2_5: x[7] / 10,
      particles_4: x[8] / 10,
      particles_10: x[9] / 10,
    }),
  },
  {
    words: 2,
    read: (x) => ({ temperature: (175.72 * x[0]) / 65536 - 46.85, humidity: (125 * x[1]) / 65536 - 6 }),
  },
  { words: 1, read: (x) => ({ pressure: (x[0] * 2) / 100 }) },
]
