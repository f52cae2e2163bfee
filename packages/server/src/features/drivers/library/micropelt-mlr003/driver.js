// Micropelt MLR003: radiator valve. Port 1.
// 0 valve | 1 flow sensor | 2 flow temperature | 3 ambient sensor | 4 ambient temperature | 5 states | 6 storage
// 7 consumption | 8 harvest | 9 states, mode | 10 set value

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 1) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 10) return { errors: ['The message is too short'] }
  const states = bytes[5]
  const mode = bytes[9] & 0x07
  const data = {
    valve_position: bytes[0],
    flow_temperature_raw: bytes[1] / 2,
    flow_temperature: bytes[2] / 2,
    ambient_temperature_raw: bytes[3] / 4,
    temperature: bytes[4] / 4,
    harvesting: (states & 0x20) !== 0,
    // Of the ambient sensor, or of the one at the flow.
    sensor_error: (states & 0x18) !== 0,
    radio_error: (states & 0x04) !== 0,
    motor_error: (states & 0x01) !== 0,
    storage_voltage: bytes[6] / 50,
    current_consumed: bytes[7] * 10,
    current_generated: bytes[8] * 10,
    reference_completed: (bytes[9] & 0x10) !== 0,
    storage_full: (bytes[9] & 0x40) !== 0,
  }
  if (bytes.length > 10) {
    data.user_mode = mode
    // Mode 0: valve position in percent, otherwise a temperature in half degrees.
    data.user_value = mode === 0 ? bytes[10] : bytes[10] / 2
  }
  return { data }
}
