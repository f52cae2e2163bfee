import { reading } from '../types.ts'

/** All commands. */
export const help = reading(async () => [{ kind: 'commands' }])
