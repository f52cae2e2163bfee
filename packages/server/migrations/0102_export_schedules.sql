-- Exports that the clock starts, with the rights of who created them.
create table export_schedules (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  scope_id integer not null references scopes (id) on delete cascade,
  title text not null,
  search text collate "C" generated always as (fold(E'\n' || title || E'\n')) stored,
  content jsonb not null,
  -- the smart group whose devices it exports, if it is one
  group_id integer generated always as ((content -> 'selection' ->> 'groupId')::integer) stored,
  -- the dashboard that it prints, if it prints one
  dashboard_id integer generated always as ((content ->> 'dashboardId')::integer) stored,
  range jsonb not null,
  frequency jsonb not null,
  time_zone text not null,
  -- with their secrets, sealed
  targets jsonb not null,
  connector_ids integer[] not null default '{}',
  active boolean not null,
  -- when it is due next; null: it is not active
  next_at timestamptz,
  -- a mail has said that it fails, and it has not succeeded since
  failing boolean not null default false,
  -- who it runs for: a user, a key or an application
  owner jsonb not null,
  owner_name text not null,
  created_by integer references users (id) on delete set null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  check (active or next_at is null)
);
create index export_schedules_account on export_schedules (account_id);
create index export_schedules_scope on export_schedules (scope_id);
create index export_schedules_group on export_schedules (group_id) where group_id is not null;
create index export_schedules_dashboard on export_schedules (dashboard_id) where dashboard_id is not null;
create index export_schedules_user on export_schedules (created_by) where created_by is not null;
create index export_schedules_next on export_schedules (next_at) where next_at is not null;

-- What became of a schedule at a time.
create table export_schedule_runs (
  id bigint generated always as identity primary key,
  schedule_id integer not null references export_schedules (id) on delete cascade,
  due_at timestamptz not null,
  -- started by somebody rather than by the clock
  manual boolean not null default false,
  state text not null check (
    state in ('waiting', 'exporting', 'delivering', 'done', 'partly', 'empty', 'missed', 'failed')),
  reason text,
  detail text not null default '',
  -- of the values
  period_start timestamptz,
  period_end timestamptz,
  job_id integer references background_jobs (id) on delete set null,
  file_name text,
  size bigint,
  rows bigint,
  -- of one that waits: when the next attempt to begin is made, or one that has begun is given up
  try_at timestamptz,
  attempts integer not null default 0,
  at timestamptz not null,
  ended_at timestamptz,
  check ((state = 'waiting') = (try_at is not null))
);
-- once at a time
create unique index export_schedule_runs_due on export_schedule_runs (schedule_id, due_at) where not manual;
create index export_schedule_runs_list on export_schedule_runs (schedule_id, due_at, id);
create index export_schedule_runs_try on export_schedule_runs (try_at) where try_at is not null;
create index export_schedule_runs_exporting on export_schedule_runs (id) where state = 'exporting';
create index export_schedule_runs_job on export_schedule_runs (job_id) where job_id is not null;

-- What became of its file at each target.
create table export_schedule_deliveries (
  id bigint generated always as identity primary key,
  run_id bigint not null references export_schedule_runs (id) on delete cascade,
  -- of the target
  position smallint not null,
  kind text not null,
  name text not null,
  state text not null check (state in ('waiting', 'sent', 'failed')),
  reason text,
  detail text not null default '',
  refused integer not null default 0,
  attempts integer not null default 0,
  try_at timestamptz,
  at timestamptz,
  unique (run_id, position),
  check ((state = 'waiting') = (try_at is not null))
);
create index export_schedule_deliveries_try on export_schedule_deliveries (try_at) where try_at is not null;

-- Secret links to files.
create table export_schedule_links (
  token_hash bytea primary key,
  run_id bigint not null references export_schedule_runs (id) on delete cascade,
  expires_at timestamptz not null
);
create index export_schedule_links_run on export_schedule_links (run_id);
create index export_schedule_links_expire on export_schedule_links (expires_at);
