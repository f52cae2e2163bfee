-- Alarms of every source: rules, the health of devices, packet thresholds, connectors and the platform itself.
alter table alarms
  add column source text not null default 'rule'
    check (source in ('rule', 'health', 'packet-threshold', 'connector', 'platform')),
  -- what the alarm is about and why: one of each is open at most. Null: of a rule, which has its own index
  add column cause_key text check ((cause_key is null) = (source = 'rule')),
  add column connector_id integer references connectors (id) on delete cascade,
  -- values of the message, for a text in the reader's language
  add column details jsonb not null default '{}',
  -- one that comes back soon is the same alarm: how often it opened, and when for the last time
  add column occurrences integer not null default 1,
  add column last_raised_at timestamptz,
  add column assigned_to integer references users (id) on delete set null,
  -- as it was then
  add column assigned_name text,
  add column snoozed_until timestamptz,
  add column snoozed_name text,
  alter column twin_id drop not null,
  add check ((source in ('connector', 'platform')) = (twin_id is null)),
  add check ((source = 'connector') = (connector_id is not null));
alter table alarms drop constraint alarms_category_check;
alter table alarms add constraint alarms_category_check
  check (category in ('unknown', 'connectivity', 'battery', 'device', 'packet-threshold', 'platform'));
create unique index alarms_open_causes on alarms (cause_key) where resolved_at is null;
create index alarms_causes on alarms (cause_key, id) where cause_key is not null;
create index alarms_connector on alarms (connector_id) where connector_id is not null;
create index alarms_assigned_to on alarms (assigned_to) where assigned_to is not null;
create index alarms_account on alarms (account_id, id desc);

-- How alarms of an account and of those below it behave; absent: as above it, at last the defaults.
create table alarm_settings (
  account_id integer primary key references accounts (id) on delete cascade,
  open_after_s integer not null check (open_after_s between 0 and 86400),
  resolve_after_s integer not null check (resolve_after_s between 0 and 86400),
  reopen_within_s integer not null check (reopen_within_s between 0 and 604800),
  version integer not null default 1
);

-- Alarms that open or end after a delay, unless it is over before.
create table alarm_waiting (
  cause_key text primary key,
  account_id integer not null references accounts (id) on delete cascade,
  twin_id integer references twins (id) on delete cascade,
  connector_id integer references connectors (id) on delete cascade,
  source text not null,
  -- false: the open alarm ends
  opens boolean not null,
  -- when it became true
  at timestamptz not null,
  due_at timestamptz not null,
  severity text not null check (severity in ('warning', 'error')),
  category text not null,
  message text not null,
  details jsonb not null
);
create index alarm_waiting_due on alarm_waiting (due_at);
create index alarm_waiting_account on alarm_waiting (account_id);
create index alarm_waiting_twin on alarm_waiting (twin_id) where twin_id is not null;
create index alarm_waiting_connector on alarm_waiting (connector_id) where connector_id is not null;

-- What counts now.
insert into alarms (account_id, twin_id, source, cause_key, category, severity, message, details, raised_at)
select t.account_id, t.id, 'health', 'health:' || t.id || ':' || l.entry, coalesce(l.category, 'device'), l.type,
  coalesce(nullif(l.description, ''), l.entry), jsonb_build_object('entry', l.entry), l.since
from device_health_log l join twins t on t.id = l.twin_id
where l.until is null and l.type in ('warning', 'error')
order by l.id;
