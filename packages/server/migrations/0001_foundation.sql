-- The foundation: accounts and rights, connectors, drivers, twins and devices, values, rules, dashboards.
-- Times are timestamptz. JSON columns have a schema in the contract and are parsed when read.

create extension if not exists pg_trgm;

-- Accounts, people and rights ------------------------------------------------

create table accounts (
  id integer generated always as identity primary key,
  parent_id integer references accounts (id),
  name text not null,
  description text not null default '',
  -- months; null inherits from the parent, the root has 24
  retention_months integer check (retention_months between 1 and 1200),
  time_zone text not null default 'Europe/Berlin',
  properties jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1,
  unique nulls not distinct (parent_id, name)
);

-- The tree on which access is granted. Every account has one scope (twin_id null); a twin can have one of its own.
create table scopes (
  id integer generated always as identity primary key,
  parent_id integer references scopes (id),
  account_id integer not null references accounts (id) on delete cascade,
  twin_id integer unique,
  name text not null
);
create index scopes_parent on scopes (parent_id);
create unique index scopes_account_root on scopes (account_id) where twin_id is null;

create table roles (
  id integer generated always as identity primary key,
  -- null: offered to every account
  account_id integer references accounts (id) on delete cascade,
  name text not null,
  description text not null default '',
  icon text,
  rules jsonb not null default '[]',
  -- the super administrator's role cannot be changed or deleted
  is_super boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1,
  unique nulls not distinct (account_id, name)
);

create table users (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id),
  username text not null,
  email text not null,
  first_name text not null default '',
  last_name text not null default '',
  phone text not null default '',
  mobile text not null default '',
  password_hash text,
  active boolean not null default true,
  failed_logins integer not null default 0,
  locked_until timestamptz,
  last_login_at timestamptz,
  properties jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1
);
create unique index users_username on users (lower(username));
create unique index users_email on users (lower(email));

create table user_access (
  id integer generated always as identity primary key,
  user_id integer not null references users (id) on delete cascade,
  scope_id integer not null references scopes (id) on delete cascade,
  role_id integer not null references roles (id) on delete cascade,
  is_main boolean not null default false,
  unique (user_id, scope_id, role_id)
);
create unique index user_access_main on user_access (user_id) where is_main;

create table sessions (
  token_hash bytea primary key,
  user_id integer not null references users (id) on delete cascade,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  ip text not null default '',
  user_agent text not null default ''
);
create index sessions_user on sessions (user_id);
create index sessions_expires on sessions (expires_at);

create table favorites (
  id integer generated always as identity primary key,
  user_id integer not null references users (id) on delete cascade,
  type text not null,
  object_id integer not null,
  created_at timestamptz not null default now(),
  unique (user_id, type, object_id)
);

create table activities (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  account_id integer,
  user_id integer,
  user_name text not null,
  ip text not null default '',
  action text not null,
  subject text not null,
  object_id integer,
  object_title text not null default '',
  changes jsonb
);
create index activities_account on activities (account_id, id desc);

create table settings (
  key text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);

-- Platform: events, mail -----------------------------------------------------

-- Outbox: written in the transaction of the change, dispatched afterwards in commit order, deleted when every
-- consumer is done. `xid` tells the dispatcher which rows may still be overtaken by an older open transaction.
create table outbox (
  id bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz not null default now(),
  topic text not null,
  account_id integer,
  payload jsonb not null
);
create index outbox_order on outbox (xid, id);

-- How far each consumer of the outbox has come, so that a crash neither loses nor doubles.
create table outbox_cursors (
  consumer text primary key,
  last_xid xid8 not null default '0',
  last_id bigint not null default 0,
  updated_at timestamptz not null default now()
);

-- Events a consumer could not handle after several attempts, with the reason.
create table outbox_failures (
  id bigint generated always as identity primary key,
  consumer text not null,
  event_id bigint not null,
  topic text not null,
  account_id integer,
  payload jsonb not null,
  error text not null,
  attempts integer not null,
  at timestamptz not null default now(),
  unique (consumer, event_id)
);

create table mails (
  id bigint generated always as identity primary key,
  account_id integer references accounts (id) on delete cascade,
  recipients text[] not null,
  subject text not null,
  body text not null,
  -- queued, sent, failed, kept (no mail server configured)
  status text not null check (status in ('queued', 'sent', 'failed', 'kept')),
  attempts integer not null default 0,
  error text,
  -- what it is about, e.g. {"ruleId": 1}
  origin jsonb not null default '{}',
  created_at timestamptz not null default now(),
  sent_at timestamptz
);
create index mails_account on mails (account_id, id desc);

-- Connectors -----------------------------------------------------------------

create table connectors (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id),
  scope_id integer not null references scopes (id),
  name text not null,
  description text not null default '',
  kind text not null,
  enabled boolean not null default true,
  settings jsonb not null,
  -- address of incoming webhooks: POST /api/hooks/{key}
  key text unique,
  -- waiting, connecting, connected, listening, error, disabled
  state text not null default 'waiting',
  state_message text not null default '',
  state_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1,
  unique (account_id, name)
);
create index connectors_scope on connectors (scope_id);

-- Connection events, the last 100 per connector.
create table connector_logs (
  id bigint generated always as identity primary key,
  connector_id integer not null references connectors (id) on delete cascade,
  at timestamptz not null default now(),
  level text not null check (level in ('info', 'warning', 'error')),
  event text not null,
  message text not null default ''
);
create index connector_logs_connector on connector_logs (connector_id, id desc);

-- What came in last, 100 slots per connector, written behind the pipeline: a view for people, not the store.
create table connector_traffic (
  connector_id integer not null references connectors (id) on delete cascade,
  slot smallint not null check (slot between 0 and 99),
  seq bigint not null,
  at timestamptz not null,
  identifier text,
  device_id integer,
  raw text not null,
  decoded jsonb,
  error jsonb,
  duration_us integer not null,
  primary key (connector_id, slot)
);

-- Drivers --------------------------------------------------------------------

create table drivers (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id),
  scope_id integer not null references scopes (id),
  -- account: this account and those below; everyone: all
  visibility text not null default 'account' check (visibility in ('account', 'everyone')),
  title text not null,
  description text not null default '',
  manufacturer text not null default '',
  model text not null default '',
  -- technical specification, highlights, installation notes
  specs jsonb not null default '{}',
  -- set for drivers delivered with the platform
  library_key text unique,
  parser_kind text not null default 'function' check (parser_kind in ('single', 'multi', 'function', 'url', 'elixir', 'unset')),
  -- the version live traffic uses; null while nothing is published
  published_version integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1
);
create index drivers_scope on drivers (scope_id);
create index drivers_title on drivers using gin (title gin_trgm_ops);

create table driver_versions (
  driver_id integer not null references drivers (id) on delete cascade,
  number integer not null,
  script text not null,
  -- variables with unit and title: [{key, title, unit}]
  variables jsonb not null default '[]',
  -- golden packets: [{title, fPort, payload, encoding, expected}]
  golden jsonb not null default '[]',
  note text not null default '',
  created_by text not null default '',
  created_at timestamptz not null default now(),
  published_at timestamptz,
  primary key (driver_id, number)
);

-- Twins and virtual devices --------------------------------------------------

create table twins (
  id integer generated always as identity primary key,
  category text not null check (category in ('digitalTwin', 'virtualDevice')),
  account_id integer not null references accounts (id),
  scope_id integer not null references scopes (id),
  parent_id integer references twins (id),
  title text not null,
  description text not null default '',
  type text not null default 'default'
    check (type in ('default', 'building', 'sensor', 'room', 'door', 'zone', 'floor', 'trackable')),
  tags text[] not null default '{}',
  zones text[] not null default '{}',
  icon text,
  address text not null default '',
  latitude double precision check (latitude between -90 and 90),
  longitude double precision check (longitude between -180 and 180),
  floor_number integer,
  geo_polygon jsonb,
  key_values jsonb not null default '{}',
  properties jsonb not null default '{}',
  disabled boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1
);
create index twins_parent on twins (parent_id, title);
create index twins_scope on twins (scope_id, category, title, id);
create index twins_title on twins using gin (title gin_trgm_ops);
create index twins_tags on twins using gin (tags);
alter table scopes add constraint scopes_twin foreign key (twin_id) references twins (id) on delete cascade;

-- Addresses for data routing; several twins may share one deliberately.
create table twin_references (
  twin_id integer not null references twins (id) on delete cascade,
  account_id integer not null references accounts (id) on delete cascade,
  name text not null,
  value text not null,
  primary key (twin_id, name, value)
);
create index twin_references_address on twin_references (account_id, name, value);

create table virtual_devices (
  twin_id integer primary key references twins (id) on delete cascade,
  connector_id integer not null references connectors (id),
  external_id text not null,
  driver_id integer references drivers (id),
  -- null follows the published version
  driver_version integer,
  operational_status smallint not null default 0 check (operational_status between 0 and 5),
  unique (connector_id, external_id)
);
create index virtual_devices_driver on virtual_devices (driver_id);
create index virtual_devices_external on virtual_devices using gin (external_id gin_trgm_ops);

-- What changes with every packet, apart from what people edit; free space keeps the updates cheap.
create table device_live (
  twin_id integer primary key references twins (id) on delete cascade,
  last_seen timestamptz,
  packets bigint not null default 0,
  last_error jsonb,
  -- 0 ok, 1 warning, 2 error, 3 unknown, 4 invalid
  health smallint not null default 3 check (health between 0 and 4)
) with (fillfactor = 60);

create table states (
  id integer generated always as identity primary key,
  twin_id integer not null references twins (id) on delete cascade,
  key text not null,
  title text not null,
  unit text not null default '',
  icon text,
  source text not null,
  -- depends on the source, see contract/states.ts
  source_settings jsonb not null default '{}',
  -- what a connector source listens to; null elsewhere
  connector_id integer references connectors (id) on delete cascade,
  identifier text,
  variable text,
  value_type text not null default 'number' check (value_type in ('number', 'text', 'boolean', 'json')),
  transformer text,
  lower_bound double precision,
  upper_bound double precision,
  decimals smallint check (decimals between 0 and 10),
  visualization jsonb not null default '{}',
  position integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1,
  unique (twin_id, key)
);
create index states_connector on states (connector_id, identifier) where connector_id is not null;

-- Which states a state is computed from.
create table state_links (
  state_id integer not null references states (id) on delete cascade,
  source_state_id integer not null references states (id),
  primary key (state_id, source_state_id)
);
create index state_links_source on state_links (source_state_id);

-- Packets and values ---------------------------------------------------------

create table packets (
  id bigint generated always as identity,
  received_at timestamptz not null,
  -- when the device or its network says it was sent
  time timestamptz not null,
  account_id integer not null,
  connector_id integer not null,
  device_id integer not null,
  f_port smallint,
  f_cnt bigint,
  -- hex text of a binary payload, JSON text otherwise
  payload text not null,
  encoding text not null check (encoding in ('hex', 'json')),
  meta jsonb not null,
  -- what the driver made of it; null when it failed
  variables jsonb,
  error jsonb,
  driver_id integer,
  driver_version integer,
  duration_us integer not null,
  primary key (received_at, id)
) partition by range (received_at);
create index packets_device on packets (device_id, received_at desc);

-- Recognises a packet that is delivered twice; partitioned by the day of reception, two days are kept.
create table packet_keys (
  day date not null,
  device_id integer not null,
  key bigint not null,
  primary key (day, device_id, key)
) partition by range (day);

-- Messages that could not be used, with the reason; bounded per connector.
create table dead_letters (
  id bigint generated always as identity primary key,
  received_at timestamptz not null,
  account_id integer not null references accounts (id) on delete cascade,
  connector_id integer not null references connectors (id) on delete cascade,
  device_id integer,
  identifier text,
  reason text not null,
  detail text not null default '',
  body text not null,
  meta jsonb not null default '{}'
);
create index dead_letters_connector on dead_letters (connector_id, id desc);

create table state_values (
  state_id integer not null,
  time timestamptz not null,
  num double precision,
  txt text,
  bool boolean,
  json jsonb,
  primary key (state_id, time)
) partition by range (time);

create table state_current (
  state_id integer primary key references states (id) on delete cascade,
  time timestamptz not null,
  num double precision,
  txt text,
  bool boolean,
  json jsonb
) with (fillfactor = 60);

-- Monthly partitions are made when a value or packet needs one.
create function ensure_month_partition(parent text, month date) returns void language plpgsql as $$
declare
  name text := parent || to_char(month, '"_"YYYY"_"MM');
begin
  if to_regclass(name) is null then
    perform pg_advisory_xact_lock(hashtext(name));
    execute format(
      'create table if not exists %I partition of %I for values from (%L) to (%L)',
      name, parent,
      (month::timestamp at time zone 'UTC'), ((month + interval '1 month')::timestamp at time zone 'UTC'));
  end if;
end $$;

create function ensure_day_partition(parent text, day date) returns void language plpgsql as $$
declare
  name text := parent || to_char(day, '"_"YYYY"_"MM"_"DD');
begin
  if to_regclass(name) is null then
    perform pg_advisory_xact_lock(hashtext(name));
    execute format('create table if not exists %I partition of %I for values from (%L) to (%L)',
      name, parent, day, day + 1);
  end if;
end $$;

-- Rules and alarms -----------------------------------------------------------

create table rules (
  id integer generated always as identity primary key,
  twin_id integer not null references twins (id) on delete cascade,
  account_id integer not null references accounts (id) on delete cascade,
  title text not null,
  active boolean not null default true,
  metrics jsonb not null,
  conditions jsonb not null,
  throttle_hours double precision not null default 0,
  actions jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1,
  unique (twin_id, title)
);
create index rules_account on rules (account_id);

-- Which states wake a rule.
create table rule_triggers (
  rule_id integer not null references rules (id) on delete cascade,
  state_id integer not null references states (id) on delete cascade,
  primary key (rule_id, state_id)
);
create index rule_triggers_state on rule_triggers (state_id);

create table rule_live (
  rule_id integer primary key references rules (id) on delete cascade,
  last_evaluated_at timestamptz,
  last_fired_at timestamptz,
  last_result text
) with (fillfactor = 60);

create table rule_executions (
  id bigint generated always as identity primary key,
  rule_id integer not null references rules (id) on delete cascade,
  -- the outbox event that woke it: the same event is never evaluated twice
  event_id bigint not null,
  at timestamptz not null,
  -- fired, not_met, throttled, aborted, error
  result text not null,
  inputs jsonb not null,
  -- the condition tree with what each node answered
  branch jsonb not null,
  actions jsonb not null default '[]',
  error text,
  duration_us integer not null,
  unique (rule_id, event_id)
);
create index rule_executions_rule on rule_executions (rule_id, id desc);
create index rule_executions_errors on rule_executions (id desc) where result = 'error';

create table alarms (
  id bigint generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  scope_id integer not null references scopes (id) on delete cascade,
  twin_id integer not null references twins (id) on delete cascade,
  rule_id integer references rules (id) on delete set null,
  category text not null default 'unknown'
    check (category in ('unknown', 'connectivity', 'battery', 'device', 'packet-threshold')),
  severity text not null check (severity in ('warning', 'error')),
  message text not null,
  raised_at timestamptz not null,
  resolved_at timestamptz
);
create index alarms_scope on alarms (scope_id, id desc);
-- one open alarm per rule at a time
create unique index alarms_open on alarms (rule_id) where resolved_at is null;

-- Dashboards -----------------------------------------------------------------

create table dashboards (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id),
  scope_id integer not null references scopes (id),
  name text not null,
  parent_twin_id integer references twins (id) on delete set null,
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1
);
create index dashboards_scope on dashboards (scope_id, name);

create table widgets (
  id integer generated always as identity primary key,
  dashboard_id integer not null references dashboards (id) on delete cascade,
  position integer not null,
  config jsonb not null
);
create index widgets_dashboard on widgets (dashboard_id, position);
