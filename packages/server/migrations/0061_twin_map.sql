-- Bounds of the polygons of twins, so that a map reads only those in view.
create function polygon_bounds(polygon jsonb) returns box language sql immutable parallel safe as $$
  select box(point(max((corner->>0)::float8), max((corner->>1)::float8)),
    point(min((corner->>0)::float8), min((corner->>1)::float8)))
  from jsonb_array_elements(polygon->'coordinates'->0) as corner
$$;
alter table twins add column geo_bounds box generated always as (polygon_bounds(geo_polygon)) stored;

-- The limits of states, for the colours of twins: reading them from JSON takes most of the time.
alter table states
  add column lower_threshold float8 generated always as ((visualization->>'lowerThreshold')::float8) stored,
  add column upper_threshold float8 generated always as ((visualization->>'upperThreshold')::float8) stored;
create index states_limited on states (twin_id)
  include (id, scope_id, lower_bound, upper_bound, lower_threshold, upper_threshold)
  where lower_bound is not null or upper_bound is not null
    or lower_threshold is not null or upper_threshold is not null;
