// MClimate Vicki: radiator thermostat. What it tells regularly are 9 bytes, behind answers to commands if there are any.
// 0 kind 0x01 or 0x81 | 1 set temperature | 2 temperature | 3 humidity | 4, 5 low bits of motor position and stroke
// 6 their high bits | 7 battery, flags | 8 flags

const KEEP_ALIVE = 0x01
const KEEP_ALIVE_FROM_3_5 = 0x81

// The two generations have different sensors.
function temperature(kind, raw) {
  return kind === KEEP_ALIVE ? (raw * 165) / 256 - 40 : (raw - 28.33333) / 5.66666
}

function decodeUplink(input) {
  const isKeepAlive = (byte) => byte === KEEP_ALIVE || byte === KEEP_ALIVE_FROM_3_5
  const whole = input.bytes
  if (whole.length === 0) return { errors: ['The message is too short'] }
  const bytes = isKeepAlive(whole[0]) ? whole : whole.slice(-9)
  if (!isKeepAlive(bytes[0]))
    return { data: {}, warnings: ['An answer about settings, nothing was measured'] }
  if (bytes.length < 9) return { errors: ['The message is too short'] }
  const position = bytes[4] | ((bytes[6] & 0xf0) << 4)
  const stroke = bytes[5] | ((bytes[6] & 0x0f) << 8)
  const data = {
    temperature: temperature(bytes[0], bytes[2]),
    humidity: (bytes[3] * 100) / 256,
    set_temperature: bytes[1],
    motor_position: position,
    motor_stroke: stroke,
    battery_voltage: 2 + (bytes[7] >> 4) / 10,
    window_open: (bytes[7] & 0x08) !== 0,
    // Too much or too little current, or measuring its stroke has failed.
    motor_error: (bytes[7] & 0x06) !== 0 || (bytes[8] & 0x40) !== 0,
    sensor_error: (bytes[7] & 0x01) !== 0,
    child_lock: (bytes[8] & 0x80) !== 0,
    install_ok: (bytes[8] & 0x20) !== 0,
    frost_protection: (bytes[8] & 0x08) !== 0,
  }
  // The motor stands at 0 when the valve is open.
  if (stroke > 0) data.valve_position = (1 - Math.min(position, stroke) / stroke) * 100
  return { data }
}
