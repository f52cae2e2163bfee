-- Reports about the alarms of a smart group, sent once a day.
create table alarm_reports (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  scope_id integer not null references scopes (id) on delete cascade,
  title text not null,
  -- null: its account was deleted
  group_id integer references smart_groups (id) on delete set null,
  type text not null check (type in ('device', 'packetMonitoring')),
  conditions text[] not null,
  language text not null,
  subject text not null,
  tables text[] not null,
  period text not null check (period in ('day', 'week', 'month')),
  -- 1: Monday
  weekdays smallint[] not null,
  time_zone text not null,
  recipients text[] not null,
  -- null: none, or it was deleted
  connector_id integer references connectors (id) on delete set null,
  -- of a connector that publishes
  topic text,
  active boolean not null,
  -- when it is looked at next; null: it is not active
  next_at timestamptz,
  last_sent_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1
);
create unique index alarm_reports_title on alarm_reports (account_id, lower(title));
create index alarm_reports_scope on alarm_reports (scope_id);
create index alarm_reports_group on alarm_reports (group_id) where group_id is not null;
create index alarm_reports_connector on alarm_reports (connector_id) where connector_id is not null;
create index alarm_reports_next on alarm_reports (next_at) where next_at is not null;

-- What became of a report on a day.
create table alarm_report_runs (
  id bigint generated always as identity primary key,
  report_id integer not null references alarm_reports (id) on delete cascade,
  -- in the zone of the report
  day date not null,
  state text not null check (state in ('waiting', 'sent', 'nothing', 'missed', 'failed')),
  reason text,
  -- when the next attempt is made, or when one that has begun is given up
  try_at timestamptz,
  attempts integer not null default 0,
  at timestamptz not null,
  recipients integer not null default 0,
  refused integer not null default 0,
  through_connector boolean not null default false,
  html text,
  pdf bytea,
  check ((state = 'waiting') = (try_at is not null))
);
-- once a day
create unique index alarm_report_runs_day on alarm_report_runs (report_id, day);
create index alarm_report_runs_try on alarm_report_runs (try_at) where try_at is not null;
create index alarm_report_runs_files on alarm_report_runs (at) where html is not null;

-- A mail that is written as HTML; null: made from its text when it is sent.
alter table mails add column html text;
