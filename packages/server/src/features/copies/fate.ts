/** What a computed state is computed from, as seen by a copy of its twin. */
export interface Dependence {
  /** a device below the copied twins, which is not copied */
  onDeviceBelow: boolean
  /** a state outside of the copy that the caller may not read */
  onHidden: boolean
}

/**
 * What becomes of a computed state in the copy: computed from the same states or their copies, or without a source,
 * because it would follow the devices of the original (`unbound`) or states the caller may not read (`hidden`).
 */
export function fateOf(
  { onDeviceBelow, onHidden }: Dependence,
  { bindings }: { bindings: boolean },
): 'linked' | 'unbound' | 'hidden' {
  if (onDeviceBelow && !bindings) return 'unbound'
  return onHidden ? 'hidden' : 'linked'
}
