import { sql } from 'kysely'
import type { FeatureObjects } from '../objects/index.ts'
import { viewerOf } from './policy.ts'
import { visibleTo } from './sight.store.ts'
import { deleteDriversOf } from './store.ts'

export const driverObjects = {
  kinds: {
    driver: {
      table: 'drivers',
      subject: 'DeviceDriver',
      things: (caller) => sql`
        select d.id, d.title, ${visibleTo(viewerOf(caller))} as visible, null::text as owner_kind,
          null::int as owner_id
        from drivers d`,
      used: { as: 'driver', notFound: 'DEVICEDRIVER_NOT_FOUND' },
      withAccount: [
        // Those that devices or templates of other accounts use.
        {
          blocks: 'driver',
          rows: (id) => sql`
            select d.id, d.title from drivers d where d.account_id = ${id} and exists (
              select from virtual_devices v where v.driver_id = d.id and v.account_id <> ${id}
              union all
              select from device_template_contents c join device_templates t on t.id = c.template_id
              where c.driver_id = d.id and t.account_id <> ${id})`,
        },
        { delete: deleteDriversOf },
      ],
    },
  },
} as const satisfies FeatureObjects<'driver'>
