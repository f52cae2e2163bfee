import { sql } from 'kysely'
import { reduction } from '../parts.ts'

export const sum = reduction(sql`sum(number)`, { edges: [], number: (summary) => summary.sum })
