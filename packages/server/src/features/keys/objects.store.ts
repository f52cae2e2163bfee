import { sql } from 'kysely'
import { anyOf } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'
import { deleteGroupsOf } from './locks.store.ts'
import { sightOf } from './policy.ts'

export const keyObjects = {
  kinds: {
    lock: {
      table: 'locks',
      subject: 'Lock',
      things: (caller) => sql`
        select l.id, w.title, w.scope_id = ${anyOf([...sightOf(caller).manage])} as visible,
          'digitalTwin'::text as owner_kind, l.twin_id as owner_id
        from locks l join twins w on w.id = l.twin_id`,
      shownAs: 'lock',
      references: [
        {
          used: 'connector',
          note: 'sends',
          rows: sql`select id as user_id, connector_id as used_id from locks where connector_id is not null`,
        },
        {
          used: 'twin',
          note: 'commands',
          rows: sql`select id as user_id, device_id as used_id from locks where device_id is not null`,
        },
        {
          used: 'state',
          note: 'reads',
          rows: sql`select id as user_id, report_state_id as used_id from locks where report_state_id is not null`,
        },
      ],
      withAccount: 'owner',
      // A favourite is a door that one opens, not a lock that one manages.
      favourite: (caller) => sql`
        select l.id, w.title, w.scope_id = ${anyOf([...sightOf(caller).use])} and exists (
            select from door_keys k where k.user_id = ${caller.userId} and k.revoked_at is null
              and (k.valid_until is null or k.valid_until > now()) and k.account_id = l.account_id
              and (k.lock_id = l.id
                or k.group_id in (select m.group_id from lock_group_members m where m.lock_id = l.id))) as visible
        from locks l join twins w on w.id = l.twin_id`,
    },
    lockGroup: {
      table: 'lock_groups',
      subject: 'LockGroup',
      things: (caller) => sql`
        select g.id, g.title, s.id = ${anyOf([...sightOf(caller).manage])} as visible,
          null::text as owner_kind, null::int as owner_id
        from lock_groups g join scopes s on s.account_id = g.account_id and s.twin_id is null`,
      withAccount: { delete: deleteGroupsOf },
    },
    doorKey: {
      table: 'door_keys',
      subject: 'DoorKey',
      things: (caller) => sql`
        select k.id, coalesce(w.title, g.title) || ' · ' || u.username as title,
          coalesce(w.scope_id, s.id) = ${anyOf([...sightOf(caller).manage])} as visible,
          case when w.id is not null then 'digitalTwin' end as owner_kind, w.id as owner_id
        from door_keys k join users u on u.id = k.user_id
          left join locks l on l.id = k.lock_id left join twins w on w.id = l.twin_id
          left join lock_groups g on g.id = k.group_id
          left join scopes s on s.account_id = g.account_id and s.twin_id is null`,
      withAccount: 'owner',
    },
  },
  views: { doorKeys: sql`select user_id, valid_until from door_keys where revoked_at is null` },
} as const satisfies FeatureObjects<'lock' | 'lockGroup' | 'doorKey'>
