-- Device templates: set-ups that many devices have in common.
create table device_templates (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id),
  scope_id integer not null references scopes (id),
  title text not null,
  description text not null default '',
  -- how often it was published; null: never
  publication integer,
  published_at timestamptz,
  -- the last background job that brought devices in line; jobs are deleted after a while
  sync_job_id integer references background_jobs (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1
);
create unique index device_templates_title on device_templates (account_id, lower(title));
create index device_templates_scope on device_templates (scope_id);

-- What was saved last, and what holds for devices.
create table device_template_contents (
  template_id integer not null references device_templates (id) on delete cascade,
  stage text not null check (stage in ('draft', 'productive')),
  driver_id integer not null references drivers (id),
  -- null follows the published version
  driver_version integer,
  connector_id integer references connectors (id) on delete set null,
  -- icon, tags, groups, health, states, rules, properties; see contract/templates.ts
  settings jsonb not null,
  primary key (template_id, stage)
);
create index device_template_contents_driver on device_template_contents (driver_id);
create index device_template_contents_connector on device_template_contents (connector_id);

alter table virtual_devices
  add column template_id integer references device_templates (id),
  -- the publication it is in line with
  add column template_publication integer,
  add column template_synced_at timestamptz,
  -- why it could not be brought in line: { code, data }
  add column template_error jsonb;
create index virtual_devices_template on virtual_devices (template_id) where template_id is not null;

-- What the template of a device says cannot be changed on the device.
alter table states add column fixed boolean not null default false;
-- the id of the rule in the template
alter table rules add column template_rule uuid;
create unique index rules_template_rule on rules (twin_id, template_rule) where template_rule is not null;
alter table device_health_configs add column from_template boolean not null default false;
