import { comparison } from '../comparison.ts'

export const lt = comparison({ numbers: (x, y) => x < y })
