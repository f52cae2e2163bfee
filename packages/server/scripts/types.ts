import { generate, PostgresDialect } from 'kysely-codegen'
import type { Db } from '../src/platform/db/index.ts'

/**
 * TypeScript types of a migrated database's tables, as the text of `platform/db/types.gen.ts`.
 * @param db connected to the migrated database
 */
export function describeTables(db: Db): Promise<string> {
  return generate({
    db,
    dialect: new PostgresDialect({ dateParser: 'string', defaultSchemas: ['public'] }),
    defaultSchemas: ['public'],
    includePattern: 'public.*',
    excludePattern: 'public.schema_migrations',
    outFile: null,
    // The pool reads bigint as number; a transaction id is only compared inside PostgreSQL.
    typeMapping: { int8: 'number', xid8: 'string' },
  })
}
