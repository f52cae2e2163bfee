import { sql } from 'kysely'
import { reduction } from '../parts.ts'

export const avg = reduction(sql`avg(number)`, {
  edges: [],
  number: ({ sum, numbers }) => (sum === null ? null : sum / numbers),
})
