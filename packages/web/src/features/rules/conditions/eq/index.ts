import { comparison } from '../comparison.ts'

export const eq = comparison('eq')
