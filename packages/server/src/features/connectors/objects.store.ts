import { sql } from 'kysely'
import type { FeatureObjects } from '../objects/index.ts'

export const connectorObjects = {
  kinds: {
    connector: {
      table: 'connectors',
      subject: 'Connector',
      withAccount: {
        blocks: 'connector',
        rows: (id) => sql`select id, name as title from connectors where account_id = ${id}`,
      },
    },
  },
} as const satisfies FeatureObjects<'connector'>
