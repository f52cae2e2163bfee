-- How the map of a twin and of everything below it begins and what it marks, see contract/mapSettings.ts.
create table twin_map_settings (
  twin_id integer primary key references twins (id) on delete cascade,
  settings jsonb not null,
  version integer not null default 1
);
