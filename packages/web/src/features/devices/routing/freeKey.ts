/** A key for the twin's new state, based on the device's key, that the twin does not use yet. */
export function freeKey(wanted: string, taken: readonly string[]): string {
  const known = new Set(taken)
  if (!known.has(wanted)) return wanted
  for (let number = 2; ; number++) {
    const key = `${wanted.slice(0, 95)}_${number}`
    if (!known.has(key)) return key
  }
}
