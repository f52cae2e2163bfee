import { sql } from 'kysely'
import { endNumber, reduction } from '../parts.ts'

export const difference = reduction(sql`${endNumber('newest')} - ${endNumber('oldest')}`)
