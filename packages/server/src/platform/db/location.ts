import { fileURLToPath } from 'node:url'

/** Folder of the numbered SQL files. */
export const migrationsFolder = fileURLToPath(new URL('../../../migrations', import.meta.url))
