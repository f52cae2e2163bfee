import { sql } from 'kysely'
import { reduction } from '../parts.ts'

export const avg = reduction(sql`avg(number)`)
