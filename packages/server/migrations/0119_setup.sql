-- What system administrators decided in the guide of the first hour, and where the demo city is: one row, or none.
create table installation_setup (
  id boolean primary key default true check (id),
  -- steps that are not needed
  skipped text[] not null default '{}',
  -- the guide is no longer offered
  put_away boolean not null default false,
  -- holds the whole demo city
  demo_account_id integer references accounts (id) on delete set null,
  -- of its deletion: it is not built again
  demo_removed_at timestamptz,
  demo_job_id integer
);
