import { sql } from 'kysely'
import type { FeatureObjects } from '../objects/index.ts'
import { deleteDriversOf } from './store.ts'

export const driverObjects = {
  kinds: {
    driver: {
      table: 'drivers',
      subject: 'DeviceDriver',
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
