import { windowed } from '../parts.ts'

export const first = windowed({ value: 'oldest' })
