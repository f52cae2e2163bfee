// Netvox RA07, R726: environment station with exchangeable probes: dust, gases, water, soil and weather.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4- values

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16
const u32 = (b, at) => ((b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8) | b[at + 3]) >>> 0

// Values that all bits set stand for a sensor that is not there.
function put(data, name, raw, missing, factor) {
  if (raw !== missing) data[name] = raw * factor
}
function probes(b, report) {
  const d = {}
  switch (report) {
    case 1:
    case 2:
      put(d, 'pm1', u16(b, 4), 0xffff, 1)
      put(d, 'pm2_5', u16(b, 6), 0xffff, 1)
      put(d, 'pm10', u16(b, 8), 0xffff, 1)
      return d
    case 3:
      put(d, 'dust_0_3', u16(b, 4), 0xffff, 1)
      put(d, 'dust_0_5', u16(b, 6), 0xffff, 1)
      put(d, 'dust_1', u16(b, 8), 0xffff, 1)
      return d
    case 4:
      put(d, 'dust_2_5', u16(b, 4), 0xffff, 1)
      put(d, 'dust_5', u16(b, 6), 0xffff, 1)
      put(d, 'dust_10', u16(b, 8), 0xffff, 1)
      return d
    case 5:
      put(d, 'ozone_ppm', u16(b, 4), 0xffff, 0.1)
      put(d, 'carbon_monoxide', u16(b, 6), 0xffff, 0.1)
      put(d, 'nitrogen_monoxide', u16(b, 8), 0xffff, 0.1)
      return d
    case 6:
      put(d, 'nitrogen_dioxide', u16(b, 4), 0xffff, 0.1)
      put(d, 'sulfur_dioxide', u16(b, 6), 0xffff, 0.1)
      put(d, 'hydrogen_sulfide', u16(b, 8), 0xffff, 0.1)
      return d
    case 7:
      put(d, 'co2', u16(b, 4), 0xffff, 0.1)
      put(d, 'ammonia', u16(b, 6), 0xffff, 0.1)
      put(d, 'sound_level', u16(b, 8), 0xffff, 0.1)
      return d
    default:
      return water(b, report, d)
  }
}
function water(b, report, d) {
  switch (report) {
    case 8:
      put(d, 'ph', u16(b, 4), 0xffff, 0.01)
      put(d, 'water_temperature', s16(b, 6), -1, 0.01)
      // Both bytes set mean a missing probe only when the pH probe is missing, too: −1 mV is a value.
      put(d, 'redox', s16(b, 8), u16(b, 4) === 0xffff ? -1 : undefined, 1)
      return d
    case 9:
      put(d, 'turbidity', u16(b, 4), 0xffff, 0.1)
      put(d, 'water_temperature', s16(b, 6), -1, 0.01)
      put(d, 'soil_moisture', u16(b, 8), 0xffff, 0.01)
      return d
    case 10:
      put(d, 'soil_moisture', u16(b, 4), 0xffff, 0.01)
      put(d, 'soil_temperature', s16(b, 6), -1, 0.01)
      put(d, 'water_depth', u16(b, 8), 0xffff, 1)
      put(d, 'soil_conductivity', b[10], 0xff, 100)
      return d
    case 11:
      put(d, 'water_temperature', s16(b, 4), -1, 0.01)
      put(d, 'dissolved_oxygen', u16(b, 6), 0xffff, 0.01)
      put(d, 'oxygen_saturation', u16(b, 8), 0xffff, 0.1)
      return d
    default:
      return weather(b, report, d)
  }
}
function weather(b, report, d) {
  switch (report) {
    case 12:
      put(d, 'temperature', s16(b, 4), -1, 0.01)
      put(d, 'humidity', u16(b, 6), 0xffff, 0.01)
      put(d, 'wind_speed', u16(b, 8), 0xffff, 0.01)
      return d
    case 13:
      put(d, 'wind_direction', u16(b, 4), 0xffff, 1)
      // Hundredths of a hectopascal.
      put(d, 'pressure', u32(b, 6), 0xffffffff, 0.01)
      return d
    case 14:
      put(d, 'voc_ppm', u16(b, 4), 0xffff, 0.1)
      return d
    default:
      return undefined
  }
}

const TYPES = new Map([
  [0x09, probes], // R726
  [0x05, probes], // RA07
  [0x0d, probes], // RA07Y
])
