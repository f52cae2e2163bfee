import { nothing } from '../nothing.ts'

export const empty = nothing
