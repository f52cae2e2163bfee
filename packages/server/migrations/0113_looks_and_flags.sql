-- A session in which an administrator sees the console of a user and can change nothing.
alter table sessions add column read_only boolean not null default false
  check (not read_only or original_id is not null);

-- Flags that show or hide parts of the console, as set for an account; accounts below inherit those they do not set.
create table feature_flags (
  account_id integer not null references accounts (id) on delete cascade,
  flag text not null,
  enabled boolean not null,
  primary key (account_id, flag)
);
