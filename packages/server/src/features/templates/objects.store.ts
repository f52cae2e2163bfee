import { sql } from 'kysely'
import { anyOf } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'
import { countTemplates, deleteTemplatesOf } from './store.ts'
import { templateScopes } from './templates.ts'

export const templateObjects = {
  kinds: {
    deviceTemplate: {
      table: 'device_templates',
      subject: 'DeviceTemplate',
      things: (caller) => sql`
        select id, title, scope_id = ${anyOf(templateScopes(caller))} as visible, null::text as owner_kind,
          null::int as owner_id
        from device_templates`,
      used: { as: 'deviceTemplate', notFound: 'DEVICE_TEMPLATE_NOT_FOUND' },
      shownAs: 'deviceTemplate',
      references: [
        {
          used: 'driver',
          note: 'driver',
          rows: sql`select template_id as user_id, driver_id as used_id from device_template_contents`,
        },
        {
          used: 'connector',
          note: 'connector',
          rows: sql`select template_id as user_id, connector_id as used_id from device_template_contents`,
        },
        {
          used: 'state',
          note: 'fixed',
          rows: sql`
            select v.template_id as user_id, s.id as used_id
            from states s join virtual_devices v on v.twin_id = s.twin_id where s.fixed`,
          direct: true,
        },
      ],
      accounts: sql`select id, account_id from device_templates`,
      withAccount: { delete: deleteTemplatesOf },
    },
  },
  counts: { templates: countTemplates },
  views: {
    deviceTemplates: sql`
      select t.id, t.title, t.account_id, t.scope_id, t.search, t.publication, (
        select c.settings -> 'properties' from device_template_contents c
        where c.template_id = t.id and c.stage = 'productive') as properties
      from device_templates t`,
  },
} as const satisfies FeatureObjects<'deviceTemplate'>
