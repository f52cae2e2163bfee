import { comparison } from '../comparison.ts'

export const gt = comparison('gt')
