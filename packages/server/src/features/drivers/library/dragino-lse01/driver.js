// Dragino LSE01: soil moisture, temperature and conductivity.
// 4-5 moisture | 6-7 temperature | 8-9 conductivity | 10 flags

const LENGTH = 11

function valuesOf(b) {
  return {
    soil_moisture: u16(b, 4) / 100,
    soil_temperature: s16(b, 6) / 100,
    soil_conductivity: u16(b, 8),
  }
}
