import type { ConsoleSource } from '../types.ts'

export const aggregate: ConsoleSource<'aggregate'> = {
  offered: { virtualDevice: 3, digitalTwin: 2 },
  fields: 'aggregate',
  settings: ({ stateIds, method }) => ({ stateIds, method }),
  faults: ({ stateIds }) => (stateIds.length === 0 ? { stateIds: 'stateIds' } : {}),
}
