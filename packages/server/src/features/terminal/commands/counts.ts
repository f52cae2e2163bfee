import { facts } from '../output.ts'
import { readCounts } from '../store.ts'
import { reading } from '../types.ts'

/** How many there are of everything that counts. */
export const counts = reading(async ({ ctx }) => [facts(await readCounts(ctx.db))])
