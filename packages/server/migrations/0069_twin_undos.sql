-- What a move, a disabling or a bulk edit of twins has changed, for as long as it can be undone.
create table twin_undos (
  id uuid primary key,
  -- the bulk edit; null: a change of one twin
  job_id integer unique references background_jobs (id) on delete cascade,
  until timestamptz not null,
  -- it is being undone
  taken boolean not null default false
);
create index twin_undos_until on twin_undos (until);

create table twin_undo_items (
  undo_id uuid not null references twin_undos (id) on delete cascade,
  twin_id integer not null references twins (id) on delete cascade,
  change jsonb not null,
  primary key (undo_id, twin_id)
);
create index twin_undo_items_twin on twin_undo_items (twin_id);
