import type { ConsoleSource, Faults } from '../types.ts'

export const connector: ConsoleSource<'connector'> = {
  offered: { virtualDevice: 1, digitalTwin: 4 },
  fields: 'connector',
  settings: ({ variable, connectorId, identifier }) => ({
    ...(variable.trim() ? { variable: variable.trim() } : {}),
    ...(connectorId === null ? {} : { connectorId: Number(connectorId), identifier: identifier.trim() }),
  }),
  faults({ connectorId, identifier }, category) {
    const faults: Faults = {}
    if (category === 'virtualDevice') return faults
    if (connectorId === null) faults.connectorId = 'required'
    if (identifier.trim() === '') faults.identifier = 'required'
    return faults
  },
}
