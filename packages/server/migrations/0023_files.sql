-- Pictures and attachments of twins, devices and drivers, in the database so that one backup holds everything.

-- Megabytes of files an account and all below it may have; null: only what those above it bound.
alter table accounts add column file_megabytes integer default 10240 check (file_megabytes between 0 and 1000000);

create table files (
  id integer generated always as identity primary key,
  -- for the limit of the account
  account_id integer not null references accounts (id) on delete cascade,
  -- what it hangs on, exactly one: it goes with that, so no file is left without one
  twin_id integer references twins (id) on delete cascade,
  driver_id integer references drivers (id) on delete cascade,
  role text not null check (role in ('attachment', 'picture')),
  name text not null,
  -- of its content, whatever the name says
  media_type text not null,
  size integer not null check (size > 0),
  -- SHA-256 of the content, hexadecimal
  hash text not null,
  created_by text not null,
  created_at timestamptz not null,
  check (num_nonnulls(twin_id, driver_id) = 1)
);
create index files_account on files (account_id) include (size);
create index files_twin on files (twin_id) where twin_id is not null;
create index files_driver on files (driver_id) where driver_id is not null;
create unique index files_twin_picture on files (twin_id) where role = 'picture';
create unique index files_driver_picture on files (driver_id) where role = 'picture';

create table file_contents (
  file_id integer primary key references files (id) on delete cascade,
  bytes bytea not null
);
-- Pictures and documents are compressed already.
alter table file_contents alter column bytes set storage external;

-- As people call the floor, e.g. `Mezzanine`; beside its number.
alter table twins add column floor_name text not null default '';
