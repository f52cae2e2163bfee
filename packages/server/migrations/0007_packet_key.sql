-- Packets are only ever read by device, newest first: one index that serves it instead of two.
alter table packets drop constraint packets_pkey;
drop index packets_device;
alter table packets add primary key (device_id, received_at, id);

-- Metadata and variables of a packet are read as a whole and never searched: as text they cost a quarter of the time.
alter table packets alter column meta type json using meta::json;
alter table packets alter column variables type json using variables::json;

-- Looked for every second.
create index states_random on states (id) where source = 'random';
