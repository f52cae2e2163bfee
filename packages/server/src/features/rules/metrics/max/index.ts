import { sql } from 'kysely'
import { reduction } from '../parts.ts'

export const max = reduction(sql`max(number)`, { edges: [], number: (summary) => summary.max })
