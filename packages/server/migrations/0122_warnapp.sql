-- Monitors of the warn app: one for each twin, for a screen on the wall.
create table warn_monitors (
  -- of its twin
  id integer primary key references twins (id) on delete cascade,
  -- empty: the title of the twin
  title text not null default '',
  created_at timestamptz not null,
  version integer not null default 1
);

create table warn_states (
  monitor_id integer not null references warn_monitors (id) on delete cascade,
  state_id integer not null references states (id) on delete cascade,
  position smallint not null,
  limits jsonb not null,
  -- null: the default
  silent_minutes integer check (silent_minutes > 0),
  primary key (monitor_id, state_id)
);
create index warn_states_state on warn_states (state_id);

create table warn_media (
  monitor_id integer not null references warn_monitors (id) on delete cascade,
  role text not null check (role in ('image', 'sound')),
  name text not null,
  media_type text not null,
  size integer not null,
  hash text not null,
  bytes bytea not null,
  primary key (monitor_id, role)
);

-- Screens read a monitor again when it changes; every change of its parts changes its version.
create trigger warn_monitors_notice_insert after insert on warn_monitors referencing new table as changed
  for each statement execute function notify_config_changed('id');
create trigger warn_monitors_notice_update after update on warn_monitors referencing new table as changed
  for each statement execute function notify_config_changed('id');
create trigger warn_monitors_notice_delete after delete on warn_monitors referencing old table as changed
  for each statement execute function notify_config_changed('id');
