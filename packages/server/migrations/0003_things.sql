-- Lists of twins, devices and states: people's order, and filters that stay below 100 ms with 100 000 rows.

-- "Sensor 2" before "Sensor 10", "ä" beside "a", capitals beside small letters.
create collation natural_order (provider = icu, locale = 'und-u-kn-true');

create index twins_order on twins (category, title collate natural_order, id);
create index twins_children on twins (parent_id, category, title collate natural_order, id);
drop index twins_parent;
create index twins_zones on twins using gin (zones);
create index twins_key_values on twins using gin (key_values);
create index states_search on states using gin (title gin_trgm_ops, key gin_trgm_ops);
