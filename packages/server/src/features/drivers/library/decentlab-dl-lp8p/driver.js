// Decentlab DL-LP8P: cO₂, climate and air pressure outdoors.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  {
    words: 2,
    read: (x) => ({ temperature: (175.72 * x[0]) / 65536 - 46.85, humidity: (125 * x[1]) / 65536 - 6 }),
  },
  { words: 2, read: (x) => ({ barometer_temperature: (x[0] - 5000) / 100, pressure: (x[1] * 2) / 100 }) },
  {
    words: 8,
    read: (x) => ({
      co2: x[0] - 32768,
      co2_filtered: x[1] - 32768,
      co2_sensor_temperature: (x[2] - 32768) / 100,
      capacitor_voltage: x[3] / 1000,
      capacitor_voltage_2: x[4] / 1000,
      co2_sensor_status: x[5],
      co2_raw: x[6],
      co2_raw_filtered: x[7],
    }),
  },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
