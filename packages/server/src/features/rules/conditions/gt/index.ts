import { comparison } from '../comparison.ts'

export const gt = comparison({ numbers: (x, y) => x > y })
