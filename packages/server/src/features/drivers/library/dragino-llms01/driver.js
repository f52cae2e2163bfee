// Dragino LLMS01: leaf moisture and temperature.
// 4-5 and 6-7 values | 8 external pulse | 9- kind

const LENGTH = 9

function valuesOf(b) {
  return { leaf_wetness: s16(b, 4) / 10, leaf_temperature: s16(b, 6) / 10, interrupt: b[8] === 1 }
}
