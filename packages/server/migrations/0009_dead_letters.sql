-- Dead letters can be replayed: what that needs is kept with them in `meta` (see InboundMessage.origin), how often it
-- was tried and when in columns of their own.
alter table dead_letters
  add column attempts integer not null default 0,
  add column last_attempt_at timestamptz,
  -- for the bound of a connector: rows are counted, and what they hold
  add column body_bytes integer not null generated always as (octet_length(body)) stored;

-- How often a connector had to refuse something since it exists, by reason: also what was too large or too much to be
-- kept, and what the bound of its dead letters has pushed out since.
create table connector_refusals (
  connector_id integer not null references connectors (id) on delete cascade,
  reason text not null,
  count bigint not null,
  last_at timestamptz not null,
  primary key (connector_id, reason)
) with (fillfactor = 60);

-- Long work somebody asked for: it goes page by page, and each page notes in its own transaction how far it has come,
-- so that it goes on where a crash has stopped it.
create table background_jobs (
  id integer generated always as identity primary key,
  type text not null,
  state text not null default 'created' check (state in ('created', 'inprogress', 'done', 'canceled', 'failed')),
  account_id integer not null references accounts (id) on delete cascade,
  -- who sees it: managers of this scope, and whoever asked for it
  scope_id integer not null references scopes (id) on delete cascade,
  user_id integer references users (id) on delete set null,
  user_name text not null,
  title text not null,
  -- what it is about, e.g. connector 12
  resource_type text not null,
  resource_id integer not null,
  params jsonb not null,
  -- where the next page begins; depends on the type
  cursor jsonb,
  total integer not null default 0,
  done integer not null default 0,
  result jsonb not null default '{}',
  error jsonb,
  cancel_requested boolean not null default false,
  -- counts pages: of two runners that took the same page only one can note it
  revision integer not null default 0,
  created_at timestamptz not null,
  started_at timestamptz,
  stopped_at timestamptz
);
create index background_jobs_resource on background_jobs (resource_type, resource_id, id desc);
create index background_jobs_scope on background_jobs (scope_id, id desc);
create index background_jobs_open on background_jobs (id) where state in ('created', 'inprogress');

-- Aggregates whose sources a job has corrected, with the stretch of time concerned; computed anew when it has seen all
-- packets.
create table background_job_aggregates (
  job_id integer not null references background_jobs (id) on delete cascade,
  state_id integer not null references states (id) on delete cascade,
  start_at timestamptz not null,
  end_at timestamptz not null,
  primary key (job_id, state_id)
);
