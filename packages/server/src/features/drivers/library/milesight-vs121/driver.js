// Milesight VS121: people in a room. A sequence of channel, type and value, little-endian, usually on port 85.

const u16 = (b, at) => b[at] | (b[at + 1] << 8)

function regions(first) {
  return (d, b, at) => {
    for (let i = 0; i < 8; i++) d[`people_region_${first + i}`] = b[at + i]
  }
}

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  // People, how many regions there are, and in which of them somebody is.
  1225: [5, (d, b, at) => (d.people_count = b[at])],
  1484: [
    4,
    (d, b, at) => {
      d.people_in = u16(b, at)
      d.people_out = u16(b, at + 2)
    },
  ],
  1741: [1, (d, b, at) => (d.people_max = b[at])],
  2005: [8, regions(1)],
  2261: [8, regions(9)],
  // Who went from which side to which.
  2522: [8],
  2778: [8],
  3034: [8],
  3290: [8],
  ...aboutDevice(),
}
