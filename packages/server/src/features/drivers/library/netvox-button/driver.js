// Netvox R312, R718T, RB02I: doorbell and emergency buttons.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4- values

const pressed = (b) => ({ button_pressed: b[4] !== 0 })

const TYPES = new Map([
  [0x55, pressed], // R312
  [0x4d, pressed], // R312A
  [0x31, pressed], // R718T
  [0x10, pressed], // RB02I
])
