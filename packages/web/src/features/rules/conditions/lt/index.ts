import { comparison } from '../comparison.ts'

export const lt = comparison('lt')
