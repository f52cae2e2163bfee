-- Looked for every minute.
create index states_system on states (twin_id, id) where source = 'system';
