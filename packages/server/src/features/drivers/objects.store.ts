import { sql } from 'kysely'
import { type FeatureObjects, hasUsersElsewhere } from '../objects/index.ts'
import { requireDriver } from './drivers.ts'
import { requireManage, viewerOf } from './policy.ts'
import { visibleTo } from './sight.store.ts'
import { deleteDriversOf, lockDriver } from './store.ts'

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
      files: {
        as: 'deviceDriver',
        column: 'driver_id',
        ids: sql`select id from drivers`,
        mayChange: async (db, caller, id) => {
          const { scopeId } = await requireDriver(db, caller, id)
          return caller.scopeIds('DeviceDriver', 'manage').includes(scopeId)
        },
        lockForChange: async (tx, caller, id) => {
          await lockDriver(tx, id)
          const driver = await requireDriver(tx, caller, id)
          requireManage(caller, driver.scopeId)
          return driver
        },
      },
      withAccount: [
        // Those that devices or templates of other accounts use.
        {
          blocks: 'driver',
          rows: (id) => sql`
            select d.id, d.title from drivers d where d.account_id = ${id} and ${hasUsersElsewhere('driver', sql`d.id`, id)}`,
        },
        { delete: deleteDriversOf },
      ],
    },
  },
} as const satisfies FeatureObjects<'driver'>
