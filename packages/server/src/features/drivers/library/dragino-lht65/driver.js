// Dragino LHT65: temperature and humidity, with one external sensor. Port 2, big-endian.
// 0-1 battery | 2-3 temperature | 4-5 humidity | 6 kind of external sensor | 7-10 its value
// With the data log on, the kind is 9 and the places change; recalled log entries come as records of 11 bytes.

function signed(bytes, at) {
  return ((bytes[at] << 24) >> 16) | bytes[at + 1]
}

function unsigned(bytes, at) {
  return (bytes[at] << 8) | bytes[at + 1]
}

function unixTime(bytes, at) {
  return unsigned(bytes, at) * 65536 + unsigned(bytes, at + 2)
}

// 0x7fff is what the device sends while nothing is plugged in.
function externalTemperature(bytes, at) {
  const raw = signed(bytes, at)
  return raw === 0x7fff ? {} : { external_temperature: raw / 100 }
}

function externalSensor(bytes, kind) {
  switch (kind) {
    case 1:
      return externalTemperature(bytes, 7)
    case 4:
      return { external_input: bytes[7] === 1, external_interrupt: bytes[8] === 1 }
    case 5:
      return { illuminance: unsigned(bytes, 7) }
    case 6:
      return { external_voltage: unsigned(bytes, 7) / 1000 }
    case 7:
      return { pulse_count: unsigned(bytes, 7) }
    case 8:
      return { pulse_count: unixTime(bytes, 7) }
    default:
      return {}
  }
}

function assign(target, source) {
  for (const key in source) target[key] = source[key]
  return target
}

function withLogTime(bytes) {
  const data = {
    time: new Date(unixTime(bytes, 7) * 1000).toISOString(),
    temperature: signed(bytes, 2) / 100,
    humidity: (unsigned(bytes, 4) & 0x0fff) / 10,
  }
  return assign(data, externalTemperature(bytes, 0))
}

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 2) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 11) return { errors: ['The message is too short'] }
  const kind = bytes[6] & 0x0f
  if (bytes[6] & 0x40) {
    const history = []
    for (let at = 0; at + 11 <= bytes.length; at += 11) history.push(withLogTime(bytes.slice(at, at + 11)))
    return { data: { history } }
  }
  if (kind === 9) return { data: withLogTime(bytes) }
  const data = {
    battery_voltage: (unsigned(bytes, 0) & 0x3fff) / 1000,
    temperature: signed(bytes, 2) / 100,
    humidity: unsigned(bytes, 4) / 10,
  }
  if (bytes[6] & 0x80) return { data, warnings: ['The external sensor is not connected'] }
  return { data: assign(data, externalSensor(bytes, kind)) }
}
