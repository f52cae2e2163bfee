-- What users want to be told about alarms, and how.
create table alarm_notifications (
  id integer generated always as identity primary key,
  user_id integer not null references users (id) on delete cascade,
  title text not null,
  active boolean not null default true,
  channel text not null check (channel in ('mail', 'push', 'webhook')),
  -- the webhook; deleted with it
  connector_id integer references connectors (id) on delete cascade,
  errors_only boolean not null,
  -- empty: all
  categories text[] not null,
  sources text[] not null,
  -- only of this twin and everything below it
  twin_id integer references twins (id) on delete cascade,
  resolved boolean not null,
  -- minute of the day, in the zone; null: at once
  digest_minute integer check (digest_minute between 0 and 1439),
  quiet_from integer check (quiet_from between 0 and 1439),
  quiet_to integer check (quiet_to between 0 and 1439),
  time_zone text not null,
  -- messages that may still be sent at once
  tokens real not null,
  tokens_at timestamptz not null,
  last_sent_at timestamptz,
  -- notices that were left out because there were too many, since the last message
  held integer not null default 0,
  created_at timestamptz not null default now(),
  version integer not null default 1,
  check ((channel = 'webhook') = (connector_id is not null)),
  check ((quiet_from is null) = (quiet_to is null))
);
create index alarm_notifications_user on alarm_notifications (user_id);
create index alarm_notifications_twin on alarm_notifications (twin_id) where twin_id is not null;
create index alarm_notifications_connector on alarm_notifications (connector_id) where connector_id is not null;

-- What is to be told; deleted when it is.
create table alarm_notices (
  id bigint generated always as identity primary key,
  notification_id integer not null references alarm_notifications (id) on delete cascade,
  alarm_id bigint not null references alarms (id) on delete cascade,
  what text not null check (what in ('raised', 'severity', 'resolved', 'awake', 'assigned')),
  due_at timestamptz not null
);
create index alarm_notices_due on alarm_notices (notification_id, due_at, id);
create index alarm_notices_next on alarm_notices (due_at);
create index alarm_notices_alarm on alarm_notices (alarm_id);
create index alarms_snoozed on alarms (snoozed_until) where snoozed_until is not null;
