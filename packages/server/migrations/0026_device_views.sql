-- Saved filters of the device list: drafts of smart groups, each seen by its user alone.
create table device_views (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  title text not null,
  filter jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1
);
create unique index device_views_title on device_views (user_id, lower(title));
create index device_views_account on device_views (account_id);
