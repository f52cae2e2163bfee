/** Kinds of twins. */
export const twinTypes = [
  'default',
  'building',
  'sensor',
  'room',
  'door',
  'zone',
  'floor',
  'trackable',
] as const
