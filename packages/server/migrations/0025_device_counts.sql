-- Devices are counted by account, time of creation, connector, group or driver from an index instead of from their rows,
-- which are wide. Nothing in it changes with a packet.
drop index twins_devices_of_account;
create index twins_devices on twins (account_id, scope_id, id) include (created_at) where category = 'virtualDevice';
