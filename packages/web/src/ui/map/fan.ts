/** Pixels between the middles of neighbouring points of a fan. */
const gap = 42
/** As many as a ring holds; more form a spiral. */
const ringMax = 8

/** Where the points of a fan lie, in pixels from its middle: a ring that begins at the top, or a spiral. */
export function fanOffsets(count: number): { x: number; y: number }[] {
  if (count <= ringMax) {
    // A chord between neighbours is as long as the gap.
    const radius = Math.max(gap, gap / (2 * Math.sin(Math.PI / Math.max(2, count))))
    return Array.from({ length: count }, (_, at) => polar(radius, (2 * Math.PI * at) / count))
  }
  const offsets: { x: number; y: number }[] = []
  let angle = 0
  // Each turn is a gap further out than the one before.
  for (let at = 0; at < count; at++) {
    const radius = gap * (1.2 + angle / (2 * Math.PI))
    offsets.push(polar(radius, angle))
    angle += gap / radius
  }
  return offsets
}

/** @param angle clockwise from the top */
const polar = (radius: number, angle: number) => ({
  x: radius * Math.sin(angle),
  y: -radius * Math.cos(angle),
})
