-- What rules send to other systems: it waits here until it has arrived, is given up, or its result is uncertain.
create table rule_deliveries (
  id bigint generated always as identity primary key,
  -- ours, the same for every attempt: receivers recognise a repeated message by it
  correlation uuid not null default gen_random_uuid(),
  account_id integer not null references accounts (id) on delete cascade,
  kind text not null check (kind in ('webhook', 'connector-command', 'push')),
  connector_id integer references connectors (id) on delete set null,
  content jsonb not null,
  state text not null default 'queued' check (state in ('queued', 'sent', 'failed', 'uncertain')),
  reason text,
  detail text not null default '',
  created_at timestamptz not null,
  valid_until timestamptz not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  -- set while an attempt is under way: if it passes without a result, the message may have arrived
  attempt_until timestamptz,
  ended_at timestamptz
);
create index rule_deliveries_waiting on rule_deliveries (next_attempt_at, id) where state = 'queued';
create index rule_deliveries_waiting_account on rule_deliveries (account_id, next_attempt_at, id) where state = 'queued';
create index rule_deliveries_connector on rule_deliveries (connector_id) where connector_id is not null;
create index rule_deliveries_old on rule_deliveries (account_id, created_at) where state <> 'queued';

alter table rule_executions
  -- something of its actions is still under way
  add column open boolean not null default false,
  -- it failed, or one of its actions did; executions from before count as failed by their result only
  add column failed boolean not null default false;
create index rule_executions_open on rule_executions (id) where open;
drop index rule_executions_errors;
create index rule_executions_failed on rule_executions (id desc) where failed or result = 'error';
