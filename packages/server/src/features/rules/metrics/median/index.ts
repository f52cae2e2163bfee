import { sql } from 'kysely'
import { reduction } from '../parts.ts'

export const median = reduction(sql`percentile_cont(0.5) within group (order by number)`)
