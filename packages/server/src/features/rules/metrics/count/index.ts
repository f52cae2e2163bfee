import { sql } from 'kysely'
import { reduction } from '../parts.ts'

export const count = {
  ...reduction(sql`count(*)`, { edges: [], number: ({ numbers, texts }) => numbers + texts }),
  isOfState: false,
}
