-- Warnings and errors of the server: the newest ones, for its administrators.
create table system_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  level text not null check (level in ('warning', 'error')),
  -- the part of the server that wrote it
  area text not null,
  -- the process
  node text not null,
  message text not null,
  code text,
  stack text,
  request_id text,
  -- ids of the things it concerns
  about jsonb not null,
  -- how often the same was logged at about this time
  times integer not null
);
create index system_log_request on system_log (request_id) where request_id is not null;
