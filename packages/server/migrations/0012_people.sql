-- What an account decides about itself and what is decided about it. Null inherits from the parent account.
alter table accounts
  -- rows of one CSV export
  add column csv_export_limit integer check (csv_export_limit between 1 and 100000000),
  add column template_limit integer check (template_limit between 0 and 1000000),
  add column device_limit integer check (device_limit between 0 and 10000000),
  -- { minLength, upperAndLower, numbers, special }
  add column password_policy jsonb,
  -- own terms of use; null: those of the parent
  add column terms text,
  -- terms accepted before this time have to be accepted again
  add column consent_since timestamptz,
  -- { bug: [addresses], featureRequest: [addresses] }
  add column feedback jsonb not null default '{}';

-- Under which domains the console shows itself as this account's. One domain belongs to one account.
create table account_domains (
  domain text primary key check (domain = lower(domain)),
  account_id integer not null references accounts (id) on delete cascade
);
create index account_domains_account on account_domains (account_id);

-- Roles a new user of an account gets on a scope when nobody says otherwise.
create table scope_default_roles (
  scope_id integer not null references scopes (id) on delete cascade,
  role_id integer not null references roles (id) on delete cascade,
  primary key (scope_id, role_id)
);

create index accounts_parent on accounts (parent_id);
create index users_account on users (account_id, id);
create index user_access_scope on user_access (scope_id, user_id);
create index user_access_role on user_access (role_id);

-- Roles for the facility that an installation from before this does not have yet; a new one gets them at its first start.
insert into roles (account_id, name, description, icon, rules)
select null, role.name, role.description, role.icon, role.rules::jsonb
from (values
  ('Facility manager', 'Tickets and door keys of the buildings', 'campus',
    '[{"subject":"IsFmAccess","actions":["manage"]},{"subject":"IsFmTicket","actions":["manage"]},{"subject":"DigitalTwin","actions":["read","list"]},{"subject":"DigitalTwinStates","actions":["read","list"]},{"subject":"Dashboards","actions":["read","list"]},{"subject":"InfluxDB","actions":["read"]}]'),
  ('Ticket reporter', 'Reports what is broken', 'bell', '[{"subject":"IsFmTicket","actions":["create"]}]'),
  ('Key holder', 'Opens doors with virtual keys', 'key', '[{"subject":"IsFmAccess","actions":["write"]}]')
) as role (name, description, icon, rules)
where exists (select from accounts)
on conflict (account_id, name) do nothing;
