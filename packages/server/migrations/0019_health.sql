-- Health of devices: what can be wrong (driver or device), what is, and what was.

alter table driver_versions
  add column health jsonb not null default '{"expertMode": false, "applyToAllVD": false, "stateKeys": [], "entries": []}';

-- Changes with packets and with the clock. All of it is null for most devices, most of the time.
alter table device_live
  -- time of the newest packet that was looked at; null: the health is not known (never seen, or disabled)
  add column evaluated_at timestamptz,
  -- which configuration the rest was made with: 'd<driver>.<version>' or 'o<revision of the device>'
  add column health_config text,
  -- identifiers of entries that hold, ignored ones too; '$decode': the last packet could not be decoded
  add column health_active text[],
  -- last values of the state keys, for expressions
  add column health_memory jsonb,
  -- when the clock has to look: not later than the first entry gets too old; earlier costs one more look
  add column health_due timestamptz;
update device_live set evaluated_at = last_seen where health <> 3;
create index device_live_health_due on device_live (health_due, twin_id) where health_due is not null;

create sequence device_health_revisions;
create table device_health_configs (
  twin_id integer primary key references twins (id) on delete cascade,
  config jsonb not null,
  -- never used twice, so that what was made with an older one is recognised
  revision bigint not null default nextval('device_health_revisions'),
  updated_at timestamptz not null
);

create table device_health_ignored (
  twin_id integer not null references twins (id) on delete cascade,
  identifier text not null,
  ignored_by text not null,
  ignored_at timestamptz not null,
  primary key (twin_id, identifier)
);

-- Periods during which an entry counted. One of an entry is open at most: a change is written once.
create table device_health_log (
  id bigint generated always as identity primary key,
  twin_id integer not null references twins (id) on delete cascade,
  entry text not null,
  category text,
  type text not null check (type in ('warning', 'error', 'invalid')),
  description text not null default '',
  since timestamptz not null,
  until timestamptz,
  ended_by text check (ended_by in ('over', 'ignored', 'disabled', 'configuration'))
);
create index device_health_log_device on device_health_log (twin_id, since desc, id desc);
create unique index device_health_log_open on device_health_log (twin_id, entry) where until is null;

-- Devices whose health is to be made anew from what is known: their configuration changed, or they were disabled or
-- enabled. Noted by the tables themselves, so that no writer can forget. No foreign key: nobody waits for anybody here.
create table device_health_refreshes (twin_id integer primary key);

create function note_health_refresh() returns trigger language plpgsql as $$
begin
  insert into device_health_refreshes (twin_id)
  values (case tg_table_name when 'twins' then (to_jsonb(new) ->> 'id')::int else (to_jsonb(new) ->> 'twin_id')::int end)
  on conflict do nothing;
  return null;
end $$;

create trigger twins_health_refresh after update of disabled on twins for each row
  when (old.disabled is distinct from new.disabled and new.category = 'virtualDevice')
  execute function note_health_refresh();
create trigger virtual_devices_health_refresh after update of driver_id, driver_version on virtual_devices for each row
  when (old.driver_id is distinct from new.driver_id or old.driver_version is distinct from new.driver_version)
  execute function note_health_refresh();

-- Drivers whose devices are to be refreshed, from `after_twin_id` on; devices in these scopes lose what they have of
-- their own.
create table driver_health_syncs (
  driver_id integer primary key references drivers (id) on delete cascade,
  after_twin_id integer not null default 0,
  take_over_scopes integer[] not null default '{}'
);

create function note_driver_health_sync() returns trigger language plpgsql as $$
begin
  insert into driver_health_syncs (driver_id) values (new.id)
  on conflict (driver_id) do update set after_twin_id = 0;
  return null;
end $$;

create trigger drivers_health_sync after update of published_version on drivers for each row
  when (old.published_version is distinct from new.published_version)
  execute function note_driver_health_sync();
-- What is over and too old is deleted.
create index device_health_log_until on device_health_log (until) where until is not null;
