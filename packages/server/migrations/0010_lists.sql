-- Lists in every order they can be sorted by, with 100 000 rows: a page is read from an index instead of sorting all.

create index twins_created on twins (category, created_at, id);
create index twins_updated on twins (category, updated_at, id);
create index virtual_devices_external_order on virtual_devices (external_id, twin_id);
create index virtual_devices_status_order on virtual_devices (operational_status, twin_id);
-- Health changes seldom. The time a device was last seen changes with every packet: an index on it would cost each of
-- them a new version of the row in every index.
create index device_live_health_order on device_live (health, twin_id);

-- Children are counted in the scopes of the caller without looking at their rows.
drop index twins_children;
create index twins_children on twins (parent_id, category, title collate natural_order, id) include (scope_id);
