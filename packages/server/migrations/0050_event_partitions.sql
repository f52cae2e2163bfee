-- Only the process that began to dispatch last may note progress.
alter table outbox_cursors add column epoch integer not null default 0;

-- An account that has fallen behind has a cursor of its own, so that it holds up no other. 0: events without an account.
create table outbox_lanes (
  consumer text not null,
  account_id integer not null,
  last_xid xid8 not null,
  last_id bigint not null,
  primary key (consumer, account_id)
);

-- Events whose effects a consumer has committed, until it has passed them: for consumers that cannot tell by themselves.
create table outbox_handled (
  consumer text not null,
  event_id bigint not null,
  primary key (consumer, event_id)
);

-- Somebody asked to try a parked event again.
alter table outbox_failures add column retry boolean not null default false;
-- When the event was appended; null: parked by an older server.
alter table outbox_failures add column event_at timestamptz;
create index outbox_failures_retry on outbox_failures (consumer, id) where retry;
create index outbox_failures_account on outbox_failures (account_id, id desc);
