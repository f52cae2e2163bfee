// Decentlab DL-ATM41: weather station with rain, wind, radiation and lightning.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// What follows for each flag: number of words, and what they (x) mean. Values are shifted by 32768, so that they can be negative.
const GROUPS = [
  {
    words: 17,
    read: (x) => {
      const at = (index) => x[index] - 32768
      return {
        solar_radiation: at(0),
        rain: at(1) / 1000,
        lightning_count: at(2),
        lightning_distance: at(3),
        wind_speed: at(4) / 100,
        wind_direction: at(5) / 10,
        wind_gust: at(6) / 100,
        temperature: at(7) / 10,
        vapor_pressure: at(8) / 100,
        pressure: at(9) / 10,
        humidity: at(10) / 10,
        internal_temperature: at(11) / 10,
        tilt_x: at(12) / 10,
        tilt_y: at(13) / 10,
        compass_heading: at(14),
        wind_speed_north: at(15) / 100,
        wind_speed_east: at(16) / 100,
      }
    },
  },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
