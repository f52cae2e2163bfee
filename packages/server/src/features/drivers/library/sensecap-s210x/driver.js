// Seeed SenseCAP S210x: one series for air, soil, light, wind and water probes.
// Values of 7 bytes: channel | what it is, 2 bytes | value, 4 bytes, little-endian; at the end 2 bytes of check sum

// What is measured: name of the variable and what the value is divided by.
const MEASUREMENTS = {
  4097: ['temperature', 1000],
  4098: ['humidity', 1000],
  4099: ['illuminance', 1000],
  4100: ['co2', 1000],
  // Pascal, to hPa.
  4101: ['pressure', 100000],
  4102: ['soil_temperature', 1000],
  4103: ['soil_moisture', 1000],
  4104: ['wind_direction', 1000],
  4105: ['wind_speed', 1000],
  4106: ['ph', 1000],
  4107: ['light_quantum', 1000],
  // dS/m, to µS/cm.
  4108: ['soil_conductivity', 1],
  4109: ['dissolved_oxygen', 1000],
  4113: ['rain_per_hour', 1000],
}

const BATTERY = 0x0007
const SENSOR_REMOVED = 0x0120

function decodeUplink(input) {
  const bytes = input.bytes
  if (bytes.length < 9) return { errors: ['The message is too short'] }
  const data = {}
  const warnings = []
  for (let at = 0; at + 7 <= bytes.length - 2; at += 7) {
    const what = bytes[at + 1] | (bytes[at + 2] << 8)
    const value = bytes[at + 3] | (bytes[at + 4] << 8) | (bytes[at + 5] << 16) | (bytes[at + 6] << 24)
    const measurement = MEASUREMENTS[what]
    if (measurement !== undefined) data[measurement[0]] = value / measurement[1]
    else if (what === BATTERY) {
      data.battery = value & 0xffff
      data.interval_minutes = value >>> 16
    } else if (what === SENSOR_REMOVED) warnings.push('The probe was taken off')
  }
  return { data, warnings }
}
