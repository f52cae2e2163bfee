/**
 * The position to send: none unless the user changed it, because a tracker's packets may have moved it since
 * the form was opened. A change of one coordinate sends both.
 */
export function changedPosition<T extends { latitude: unknown; longitude: unknown }>(
  { latitude, longitude }: T,
  isDirty: (field: 'latitude' | 'longitude') => boolean,
): Partial<Pick<T, 'latitude' | 'longitude'>> {
  return isDirty('latitude') || isDirty('longitude') ? { latitude, longitude } : {}
}
