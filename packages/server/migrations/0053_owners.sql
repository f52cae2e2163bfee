-- Triggers that wrote tables of other features are replaced: the feature that owns the table does it, in the same
-- transaction.

-- Alarms are shown in the scope of their twin, which is joined. The copy was never read.
drop trigger twins_scope_moved on twins;
drop function twins_scope_moved();
alter table alarms drop column scope_id;

-- When a twin is deleted, the foreign key empties the reference of its dashboards, which gives them the scope of the
-- account (dashboards_scope). The scope of the twin is gone by then; it must be another one only at the commit.
drop trigger twins_leave_dashboards on twins;
drop function twins_leave_dashboards();
alter table dashboards drop constraint dashboards_scope_id_fkey,
  add constraint dashboards_scope_id_fkey foreign key (scope_id) references scopes (id) deferrable initially deferred;

-- Hooks of twins and devices do it.
drop trigger twins_health_refresh on twins;
drop trigger virtual_devices_health_refresh on virtual_devices;
drop function note_health_refresh();

-- Devices call the function of drivers.
drop trigger virtual_devices_accept_insert on virtual_devices;
drop trigger virtual_devices_accept_update on virtual_devices;
drop function accept_driver_of_device();
