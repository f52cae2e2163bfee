import type { ConsoleSource, Faults } from '../types.ts'

export const random: ConsoleSource<'random'> = {
  offered: { virtualDevice: 5, digitalTwin: 7 },
  fields: 'random',
  settings: ({ min, max, everySeconds }) => ({
    ...(min === '' ? {} : { min }),
    ...(max === '' ? {} : { max }),
    ...(everySeconds === '' ? {} : { everySeconds }),
  }),
  faults({ min, max, valueType }) {
    const faults: Faults = {}
    if (min === '') faults.min = 'required'
    if (max === '') faults.max = 'required'
    else if (min !== '' && min >= max) faults.max = 'maxAboveMin'
    if (valueType !== 'number') faults.valueType = 'randomNumber'
    return faults
  },
}
