// What every device of Milesight says of itself on channel 0xff, with its length in bytes: version, serial number, power on.
function aboutDevice() {
  return {
    65281: [1],
    65288: [6],
    65289: [2],
    65290: [2],
    65291: [1],
    65295: [1],
    65302: [8],
    65304: [2],
    65311: [4],
    65534: [1],
    65535: [2],
  }
}
