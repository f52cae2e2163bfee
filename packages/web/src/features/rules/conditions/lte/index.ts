import { comparison } from '../comparison.ts'

export const lte = comparison('lte')
