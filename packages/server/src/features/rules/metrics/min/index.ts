import { sql } from 'kysely'
import { reduction } from '../parts.ts'

export const min = reduction(sql`min(number)`, { edges: [], number: (summary) => summary.min })
