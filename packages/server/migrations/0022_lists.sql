-- Groups of devices: free names of an account like tags; a device may be in several.
alter table virtual_devices add column groups text[] not null default '{}';
create index virtual_devices_groups on virtual_devices using gin (groups);

-- Filters people keep. Shared ones are there for everybody who sees devices of the account.
create table device_filters (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  name text not null,
  shared boolean not null default false,
  -- search and filters by the names of the list's parameters
  filter jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1
);
create unique index device_filters_name on device_filters (user_id, lower(name));
create index device_filters_shared on device_filters (account_id, name) where shared;

-- The map reads the places of devices in a part of the world.
create index twins_device_places on twins (latitude, longitude) include (scope_id)
  where category = 'virtualDevice' and latitude is not null and longitude is not null;
