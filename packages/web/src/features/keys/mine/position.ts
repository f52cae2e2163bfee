/** Milliseconds to wait for the position. */
const positionMs = 15_000

/** Where this device says it is; null: it does not know, or may not tell. */
export function findPosition(): Promise<{ latitude: number; longitude: number } | null> {
  const { promise, resolve } = Promise.withResolvers<{ latitude: number; longitude: number } | null>()
  if (!('geolocation' in navigator)) return Promise.resolve(null)
  navigator.geolocation.getCurrentPosition(
    ({ coords: { latitude, longitude } }) => resolve({ latitude, longitude }),
    () => resolve(null),
    { enableHighAccuracy: true, timeout: positionMs, maximumAge: 0 },
  )
  return promise
}
