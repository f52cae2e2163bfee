// Decentlab DL-SDD: soil profile: moisture, temperature and salinity in up to twelve depths.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  {
    words: 18,
    read: (x) => ({
      soil_moisture_1: (x[0] - 32768) / 100,
      soil_moisture_2: (x[1] - 32768) / 100,
      soil_moisture_3: (x[2] - 32768) / 100,
      soil_moisture_4: (x[3] - 32768) / 100,
      soil_moisture_5: (x[4] - 32768) / 100,
      soil_moisture_6: (x[5] - 32768) / 100,
      soil_temperature_1: (x[6] - 32768) / 100,
      soil_temperature_2: (x[7] - 32768) / 100,
      soil_temperature_3: (x[8] - 32768) / 100,
      soil_temperature_4: (x[9] - 32768) / 100,
      soil_temperature_5: (x[10] - 32768) / 100,
      soil_temperature_6: (x[11] - 32768) / 100,
      soil_salinity_1: x[12] - 100,
      soil_salinity_2: x[13] - 100,
      soil_salinity_3: x[14] - 100,
      soil_salinity_4: x[15] - 100,
      soil_salinity_5: x[16] - 100,
      soil_salinity_6: x[17] - 100,
    }),
  },
  {
    words: 18,
    read: (x) => ({
      soil_moisture_7: (x[0] - 32768) / 100,
      soil_moisture_8: (x[1] - 32768) / 100,
      soil_moisture_9: (x[2] - 32768) / 100,
      soil_moisture_10: (x[3] - 32768) / 100,
      soil_moisture_11: (x[4] - 32768) / 100,
      soil_moisture_12: (x[5] - 32768) / 100,
      soil_temperature_7: (x[6] - 32768) / 100,
      soil_temperature_8: (x[7] - 32768) / 100,
      soil_temperature_9: (x[8] - 32768) / 100,
      soil_temperature_10: (x[9] - 32768) / 100,
      soil_temperature_11: (x[10] - 32768) / 100,
      soil_temperature_12: (x[11] - 32768) / 100,
      soil_salinity_7: x[12] - 100,
      soil_salinity_8: x[13] - 100,
      soil_salinity_9: x[14] - 100,
      soil_salinity_10: x[15] - 100,
      soil_salinity_11: x[16] - 100,
      soil_salinity_12: x[17] - 100,
    }),
  },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
