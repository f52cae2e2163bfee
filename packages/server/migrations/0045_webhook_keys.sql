-- Keys of webhooks: only their SHA-256 is kept. They are 192 random bits, so that a plain hash is enough. A connector can
-- have several at a time while one takes over from another.
create table connector_keys (
  id integer generated always as identity primary key,
  connector_id integer not null references connectors on delete cascade,
  hash bytea not null unique,
  -- its last four characters, by which people tell keys apart
  hint text not null,
  created_at timestamptz not null default now(),
  -- null: until somebody ends it
  ends_at timestamptz,
  last_used_at timestamptz
);
create index connector_keys_connector on connector_keys (connector_id);

-- Addresses that are in use go on working.
insert into connector_keys (connector_id, hash, hint, created_at)
select id, sha256(convert_to(key, 'UTF8')), right(key, 4), created_at from connectors where key is not null;

alter table connectors drop column key;
