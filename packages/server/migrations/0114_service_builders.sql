-- Instances of the service builder of an account, which sign users in with the platform.
create table service_builders (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  title text not null,
  description text not null,
  url text not null,
  -- the application it signs users in with; null: not set up yet
  application_id integer references applications (id) on delete set null,
  created_at timestamptz not null default now(),
  version integer not null default 1
);
create index service_builders_account on service_builders (account_id, title, id);
create index service_builders_application on service_builders (application_id) where application_id is not null;
