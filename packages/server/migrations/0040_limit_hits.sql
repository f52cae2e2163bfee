-- How often an account ran into which limit, by the hour, so that those who are slowed down or refused can see why.
create table limit_hits (
  account_id bigint not null references accounts on delete cascade,
  "limit" text not null,
  hour timestamptz not null,
  times bigint not null,
  last_at timestamptz not null,
  -- what ran into it the last time: the name of a driver, a connector, a user
  detail text not null default '',
  primary key (account_id, "limit", hour)
);
create index limit_hits_hour on limit_hits (hour);
