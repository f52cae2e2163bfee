import { sql } from 'kysely'
import { reduceNumbers } from '../../../series/index.ts'
import { reduction } from '../parts.ts'

export const median = {
  ...reduction(sql`percentile_cont(0.5) within group (order by number)`),
  fromNumbers: (numbers: readonly number[]) => reduceNumbers('median', numbers),
}
