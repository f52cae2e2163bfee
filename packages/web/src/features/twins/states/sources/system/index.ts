import type { ConsoleSource } from '../types.ts'

export const system: ConsoleSource<'system'> = {
  offered: { digitalTwin: 8 },
  fields: 'system',
  settings: ({ figure }) => ({ figure }),
  faults({ figure, valueType }) {
    const isText = figure === 'lastSeen'
    return valueType === (isText ? 'text' : 'number')
      ? {}
      : { valueType: isText ? 'figureText' : 'figureNumber' }
  },
}
