import { comparison } from '../comparison.ts'

export const gte = comparison({ numbers: (x, y) => x >= y })
