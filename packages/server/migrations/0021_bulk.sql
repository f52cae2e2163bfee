-- Devices of one bulk edit or import; null inherits, without any the platform's own limit holds.
alter table accounts add column bulk_limit integer check (bulk_limit between 1 and 50000);

-- What a background job works on piece by piece, with what came of it. A row is taken in the transaction of its effects.
create table background_job_rows (
  job_id integer not null references background_jobs (id) on delete cascade,
  row integer not null,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'unchanged', 'failed')),
  -- what it is about; stays when that is deleted
  object_id integer,
  title text not null default '',
  -- cells of an imported file
  cells text[],
  -- [{ code, column }]
  faults jsonb not null default '[]',
  primary key (job_id, row)
);
create index background_job_rows_waiting on background_job_rows (job_id, row) where state = 'waiting';
create index background_job_rows_failed on background_job_rows (job_id, row) where state = 'failed';

-- Files on their way to becoming devices: read once, looked at in a dry run, deleted by the import or after a day.
create table bulk_uploads (
  id uuid primary key,
  -- null: a program with an API key
  user_id integer references users (id) on delete cascade,
  file_name text not null,
  header text[] not null,
  -- rows of cells
  rows jsonb not null,
  created_at timestamptz not null
);
create index bulk_uploads_user on bulk_uploads (user_id, created_at);
create index bulk_uploads_created on bulk_uploads (created_at);
