/** A key for the new datapoint of a twin, like that of the device's, that the twin does not have yet. */
export function freeKey(wanted: string, taken: readonly string[]): string {
  const known = new Set(taken)
  if (!known.has(wanted)) return wanted
  for (let number = 2; ; number++) {
    const key = `${wanted.slice(0, 95)}_${number}`
    if (!known.has(key)) return key
  }
}
