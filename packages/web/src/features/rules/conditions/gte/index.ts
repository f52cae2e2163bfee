import { comparison } from '../comparison.ts'

export const gte = comparison('gte')
