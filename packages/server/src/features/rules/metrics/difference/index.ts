import { sql } from 'kysely'
import { endNumber, reduction } from '../parts.ts'

export const difference = reduction(sql`${endNumber('newest')} - ${endNumber('oldest')}`, {
  edges: ['firstNumber', 'lastNumber'],
  number: ({ firstNumber, lastNumber }) =>
    firstNumber === null || lastNumber === null ? null : lastNumber[1] - firstNumber[1],
})
