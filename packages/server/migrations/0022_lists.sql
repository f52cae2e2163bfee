-- Groups of devices: free names of an account like tags; a device may be in several.
alter table virtual_devices add column groups text[] not null default '{}';
create index virtual_devices_groups on virtual_devices using gin (groups);
