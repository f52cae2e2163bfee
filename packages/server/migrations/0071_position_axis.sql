-- A state whose values are the latitude or longitude of its twin, whatever its key is.
alter table states add column position_axis text check (position_axis in ('latitude', 'longitude'));
