// Netvox R718WA: water leak detector.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4 water

function leak(b) {
  return { water_leak: b[4] !== 0 }
}

const TYPES = new Map([[0x32, leak]])
