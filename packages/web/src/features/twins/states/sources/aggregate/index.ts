import type { ConsoleSource } from '../types.ts'
import { aggregateFaults, aggregateSettings } from './settings.ts'

export const aggregate: ConsoleSource<'aggregate'> = {
  offered: { virtualDevice: 3, digitalTwin: 2 },
  fields: 'aggregate',
  settings: (form) => aggregateSettings(form, undefined),
  faults: (form) => aggregateFaults(form),
}
