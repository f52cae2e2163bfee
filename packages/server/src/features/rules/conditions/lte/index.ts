import { comparison } from '../comparison.ts'

export const lte = comparison({ numbers: (x, y) => x <= y })
