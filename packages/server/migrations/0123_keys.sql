-- Locks of doors, who may open them, and the log of who did.
create table locks (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  -- the door
  twin_id integer not null unique references twins (id) on delete cascade,
  -- `LockWay` of the contract; the columns after it repeat its ids
  way jsonb not null,
  device_id integer references twins (id) on delete set null,
  connector_id integer references connectors (id) on delete set null,
  report_state_id integer references states (id) on delete set null,
  report_value jsonb,
  wait_seconds integer not null check (wait_seconds > 0),
  throttle_seconds integer not null check (throttle_seconds > 0),
  needs_code boolean not null,
  within_metres integer check (within_metres > 0),
  version integer not null default 1
);
create index locks_account on locks (account_id);
create index locks_device on locks (device_id) where device_id is not null;
create index locks_connector on locks (connector_id) where connector_id is not null;
create index locks_report_state on locks (report_state_id) where report_state_id is not null;

create table lock_groups (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  title text not null,
  version integer not null default 1,
  search text collate "C" generated always as (fold(E'\n' || title || E'\n')) stored
);
create index lock_groups_account on lock_groups (account_id);

create table lock_group_members (
  group_id integer not null references lock_groups (id) on delete cascade,
  lock_id integer not null references locks (id) on delete cascade,
  primary key (group_id, lock_id)
);
create index lock_group_members_lock on lock_group_members (lock_id);

create table door_keys (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  lock_id integer references locks (id) on delete cascade,
  group_id integer references lock_groups (id) on delete cascade,
  valid_from timestamptz not null,
  valid_until timestamptz check (valid_until > valid_from),
  -- 1 Monday to 7 Sunday; none: all
  weekdays smallint[] not null default '{}',
  -- minutes since midnight; an end before the start is on the next day
  hours_from smallint check (hours_from between 0 and 1439),
  hours_until smallint check (hours_until between 0 and 1439),
  time_zone text not null,
  note text not null default '',
  revoked_at timestamptz,
  revoked_by text,
  created_at timestamptz not null,
  created_by text not null,
  version integer not null default 1,
  check ((lock_id is null) <> (group_id is null)),
  check ((hours_from is null) = (hours_until is null)),
  check ((revoked_at is null) = (revoked_by is null))
);
create index door_keys_user on door_keys (user_id);
create index door_keys_account on door_keys (account_id, created_at);
create index door_keys_lock on door_keys (lock_id) where lock_id is not null;
create index door_keys_group on door_keys (group_id) where group_id is not null;

-- Every attempt to open a lock. Without foreign keys: it stays as it was, whatever becomes of what it names.
create table lock_activations (
  id bigint generated always as identity primary key,
  account_id integer not null,
  scope_id integer not null,
  twin_id integer not null,
  lock_id integer not null,
  lock_title text not null,
  key_id integer not null,
  user_id integer not null,
  user_name text not null,
  -- chosen by the client; null: refused, so that it may try again
  request_id uuid,
  requested_at timestamptz not null,
  deadline timestamptz not null,
  metres integer,
  -- as the lock was at the time
  way jsonb not null,
  report_state_id integer,
  report_value jsonb,
  -- set before the command is sent; it is never sent again
  sent_at timestamptz,
  -- the other side has the command
  taken_at timestamptz,
  downlink_id bigint,
  -- null: under way
  result text check (result in ('opened', 'sent', 'failed', 'noAnswer', 'refused')),
  reason text not null default '',
  detail text not null default '',
  ended_at timestamptz,
  check ((result is null) = (ended_at is null)),
  check ((request_id is null) = (result is not null and result = 'refused'))
);
create unique index lock_activations_request on lock_activations (user_id, request_id) where request_id is not null;
create index lock_activations_open on lock_activations (id) where result is null;
create index lock_activations_person on lock_activations (user_id, lock_id, id desc);
create index lock_activations_account on lock_activations (account_id, requested_at);
create index lock_activations_twin on lock_activations (twin_id, id);

-- The log is written once: until its result is known an activation gets further columns, after that nothing changes it.
-- Only the retention deletes, and says so.
create function guard_lock_activations() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if current_setting('leitstand.retention', true) = 'on' and old.result is not null then
      return old;
    end if;
    raise exception 'the log of locks is not deleted from';
  end if;
  if old.result is not null
    or (old.id, old.account_id, old.scope_id, old.twin_id, old.lock_id, old.lock_title, old.key_id, old.user_id, old.user_name,
        old.request_id, old.requested_at, old.deadline, old.metres, old.way, old.report_state_id, old.report_value)
      is distinct from
      (new.id, new.account_id, new.scope_id, new.twin_id, new.lock_id, new.lock_title, new.key_id, new.user_id, new.user_name,
        new.request_id, new.requested_at, new.deadline, new.metres, new.way, new.report_state_id, new.report_value)
  then
    raise exception 'the log of locks is not changed';
  end if;
  return new;
end $$;
create trigger lock_activations_guard before update or delete on lock_activations
  for each row execute function guard_lock_activations();

create table lock_settings (
  account_id integer primary key references accounts (id) on delete cascade,
  log_months integer not null check (log_months > 0)
);
