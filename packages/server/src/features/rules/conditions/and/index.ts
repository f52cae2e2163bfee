import { allOf, listOf } from '../logic.ts'

export const and = listOf(allOf)
