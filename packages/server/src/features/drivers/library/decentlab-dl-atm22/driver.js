// Decentlab DL-ATM22: wind sensor (ATMOS 22).
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  {
    words: 8,
    read: (x) => ({
      wind_speed: (x[0] - 32768) / 100,
      wind_direction: (x[1] - 32768) / 10,
      wind_gust: (x[2] - 32768) / 100,
      temperature: (x[3] - 32768) / 10,
      tilt_x: (x[4] - 32768) / 10,
      tilt_y: (x[5] - 32768) / 10,
      wind_speed_north: (x[6] - 32768) / 100,
      wind_speed_east: (x[7] - 32768) / 100,
    }),
  },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
