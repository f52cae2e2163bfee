-- Exports: jobs whose result is a file.
alter table background_jobs
  add column file jsonb,
  drop constraint background_jobs_state_check,
  add constraint background_jobs_state_check check (
    state in ('created', 'inprogress', 'postprocessing', 'deleted', 'done', 'canceled', 'failed'));
drop index background_jobs_open;
create index background_jobs_open on background_jobs (id) where state in ('created', 'inprogress', 'postprocessing');
create index background_jobs_file on background_jobs ((file ->> 'deletedAt')) where file is not null;

-- What an export has read so far, and the file that was made of it; each piece is stored with the place in the job where
-- the next one begins.
create table export_pieces (
  job_id integer not null references background_jobs (id) on delete cascade,
  -- rows: compressed rows; file: a part of the file as it is
  kind text not null check (kind in ('rows', 'file')),
  number integer not null,
  content bytea not null,
  primary key (job_id, kind, number)
);
alter table export_pieces alter column content set storage external;

-- Exports that can be run again.
create table export_definitions (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  scope_id integer not null references scopes (id) on delete cascade,
  title text not null,
  search text collate "C" generated always as (fold(E'\n' || title || E'\n')) stored,
  request jsonb not null,
  -- the smart group whose devices it exports, if it is one
  group_id integer generated always as ((request -> 'selection' ->> 'groupId')::integer) stored,
  active boolean not null default true,
  created_by integer references users (id) on delete set null,
  created_name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  last_run_at timestamptz,
  version integer not null default 1
);
create index export_definitions_account on export_definitions (account_id);
create index export_definitions_scope on export_definitions (scope_id);
create index export_definitions_group on export_definitions (group_id) where group_id is not null;
create index export_definitions_user on export_definitions (created_by) where created_by is not null;
