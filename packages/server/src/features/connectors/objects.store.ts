import { receivingKinds } from '@leitstand/contract/connectors/kinds/index'
import { sql } from 'kysely'
import { anyOf } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'

export const connectorObjects = {
  kinds: {
    connector: {
      table: 'connectors',
      subject: 'Connector',
      things: (caller) => sql`
        select id, name as title, scope_id = ${anyOf(caller.scopeIds('all', 'manage'))} as visible,
          null::text as owner_kind, null::int as owner_id
        from connectors`,
      used: { as: 'connector', notFound: 'CONNECTOR_NOT_FOUND' },
      withAccount: {
        blocks: 'connector',
        rows: (id) => sql`select id, name as title from connectors where account_id = ${id}`,
      },
    },
  },
  views: {
    connectors: sql`
      select id, account_id, scope_id, name, kind, coalesce(settings ->> 'preset', 'standard') as preset,
        coalesce(settings ->> 'remote', 'none') as remote, 
        kind in (${sql.join(receivingKinds.map((kind) => sql.lit(kind)))}) as receives
      from connectors`,
  },
} as const satisfies FeatureObjects<'connector'>
