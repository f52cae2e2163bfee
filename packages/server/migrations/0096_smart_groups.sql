-- Smart groups: filters of devices that belong to an account and are evaluated live.
create table smart_groups (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  scope_id integer not null references scopes (id) on delete cascade,
  title text not null,
  description text not null default '',
  filter jsonb not null,
  -- how many packets its devices should send; null: nobody watches that
  monitoring jsonb,
  -- the hour (since 1970) for which its devices were last compared with the threshold; null: to be done now
  judged integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1,
  search text collate "C" generated always as (fold(E'\n' || title || E'\n' || description || E'\n')) stored
);
create unique index smart_groups_title on smart_groups (account_id, lower(title));
create index smart_groups_scope on smart_groups (scope_id);
create trigger smart_groups_delete_uses after delete on smart_groups referencing old table as gone
  for each statement execute function delete_uses('smartGroup');

-- Packets per device: the difference of the counter in `device_live` at the end of every hour, newest first. One row
-- per device, so that the sums of a group are one pass over its devices.
create table device_packets (
  twin_id integer primary key references twins (id) on delete cascade,
  -- `device_live.packets` when it was last read
  counted bigint not null,
  -- the hour (since 1970) in which it was last read
  taken integer not null,
  -- the hour of `hours[1]` and the day of `days[1]`, since 1970, in UTC
  hour integer not null,
  hours integer[] not null,
  day integer not null,
  days integer[] not null,
  -- packets per day, as it usually sends: the mean of the days with packets of the last four weeks
  usual real
) with (fillfactor = 60);

create table packet_rounds (
  id boolean primary key default true check (id),
  -- every device has been read at the end of the hour before this one
  hour integer not null,
  -- packets are counted from here on
  since timestamptz not null default now()
);
insert into packet_rounds (hour) values (floor(extract(epoch from now()) / 3600)::int);
insert into device_packets (twin_id, counted, taken, hour, hours, day, days)
  select twin_id, packets, floor(extract(epoch from now()) / 3600)::int, floor(extract(epoch from now()) / 3600)::int, '{}',
    floor(extract(epoch from now()) / 86400)::int, '{}'
  from device_live where packets > 0;

-- Devices that send less than a group expects. They outlive the group, so that what was reported is withdrawn.
create table smart_group_lows (
  group_id integer not null,
  twin_id integer not null references twins (id) on delete cascade,
  account_id integer not null,
  group_title text not null,
  window_hours integer not null,
  -- packets per day
  expected real not null,
  received bigint not null,
  -- `device_live.packets` when it was last compared
  packets bigint not null,
  since timestamptz not null,
  primary key (group_id, twin_id)
);
create index smart_group_lows_twin on smart_group_lows (twin_id);

-- Attachments and background pictures of smart groups.
alter table files add column group_id integer references smart_groups (id) on delete cascade;
alter table files drop constraint files_check;
alter table files add constraint files_check check (num_nonnulls(twin_id, driver_id, group_id) = 1);
create index files_group on files (group_id) where group_id is not null;
create unique index files_group_picture on files (group_id) where role = 'picture';
