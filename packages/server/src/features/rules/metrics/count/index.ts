import { sql } from 'kysely'
import { reduction } from '../parts.ts'

export const count = { ...reduction(sql`count(*)`), isOfState: false }
