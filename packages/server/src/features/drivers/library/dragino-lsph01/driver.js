// Dragino LSPH01: pH and temperature of the soil.
// 4-5 and 6-7 values | 8 external pulse | 9- kind

const LENGTH = 9

function valuesOf(b) {
  return { ph: s16(b, 4) / 100, soil_temperature: s16(b, 6) / 10, interrupt: b[8] === 1 }
}
