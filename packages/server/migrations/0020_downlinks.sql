-- Predefined downlinks of a driver version, and the queue of downlinks to devices.

alter table driver_versions
  -- [{name, description, port, payload, encoding, confirmed, gateways, parameters}]
  add column downlinks jsonb not null default '[]';

create table downlinks (
  id bigint generated always as identity primary key,
  -- ours, stays the same however often it is sent
  correlation uuid not null default gen_random_uuid(),
  twin_id integer not null references twins (id) on delete cascade,
  account_id integer not null references accounts (id) on delete cascade,
  connector_id integer not null references connectors (id) on delete cascade,
  -- of the predefined downlink; empty: a payload of somebody's own
  name text not null,
  port smallint not null,
  payload bytea not null,
  confirmed boolean not null,
  gateways text[] not null,
  state text not null default 'requested'
    check (state in ('requested', 'sent', 'acknowledged', 'failed', 'expired', 'cancelled')),
  reason text,
  detail text not null default '',
  requested_by text not null,
  requested_at timestamptz not null,
  valid_until timestamptz not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  -- set while an attempt is under way, and when nobody knows how one has ended
  attempt_until timestamptz,
  -- sent again after such an attempt: it may arrive twice
  repeated boolean not null default false,
  -- how the network server names it in its messages
  network_id text,
  sent_at timestamptz,
  transmitted_at timestamptz,
  ended_at timestamptz
);
create index downlinks_device on downlinks (twin_id, id desc);
create index downlinks_waiting on downlinks (next_attempt_at, id) where state = 'requested';
create index downlinks_waiting_device on downlinks (twin_id, id) where state = 'requested';
create index downlinks_waiting_account on downlinks (account_id) where state = 'requested';
create index downlinks_ending on downlinks (valid_until) where state = 'requested' or (state = 'sent' and confirmed);
create index downlinks_network on downlinks (connector_id, network_id) where network_id is not null;
create index downlinks_old on downlinks (account_id, requested_at) where state <> 'requested';
