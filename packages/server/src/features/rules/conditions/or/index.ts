import { anyOf, listOf } from '../logic.ts'

export const or = listOf(anyOf)
