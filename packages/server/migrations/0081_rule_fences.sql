-- Triggers that wait for twins to move. One row for each that an active rule has: a changed trigger is a new one, which knows
-- nothing of what happened before.
create table rule_fences (
  id integer generated always as identity primary key,
  rule_id integer not null references rules (id) on delete cascade,
  -- as in `rules.triggers`
  definition jsonb not null
);
create index rule_fences_rule on rule_fences (rule_id);

-- On which side of an edge a twin is. A missing row means outside (inside for `dwelltime_out`), if the twin is known.
create table rule_fence_states (
  id bigint generated always as identity primary key,
  fence_id integer not null references rule_fences (id) on delete cascade,
  twin_id integer not null references twins (id) on delete cascade,
  -- a zone or another twin; null: a circle, or all zones together
  target_id integer references twins (id) on delete cascade,
  inside boolean not null,
  since timestamptz not null,
  -- when the twin will have stayed long enough; null: it does not matter, or was reported
  due_at timestamptz,
  unique nulls not distinct (fence_id, twin_id, target_id)
);
create index rule_fence_states_twin on rule_fence_states (twin_id);
create index rule_fence_states_target on rule_fence_states (target_id) where target_id is not null;
create index rule_fence_states_due on rule_fence_states (due_at) where due_at is not null;

-- Twins of which a position was compared: with all fences up to this one that are of the twin or of one above it.
create table rule_fence_twins (
  twin_id integer primary key references twins (id) on delete cascade,
  fence_id integer not null,
  above integer[] not null
);

-- Polygons are kept in memory. Twins that only move do not change them, and are not announced.
create function notify_twin_area() returns trigger language plpgsql as $$
begin
  perform pg_notify('config_changed', 'twin_areas:' || old.id);
  return null;
end $$;
create trigger twins_area_update after update of geo_polygon on twins
  for each row when (old.geo_polygon is distinct from new.geo_polygon) execute function notify_twin_area();
create trigger twins_area_delete after delete on twins
  for each row when (old.geo_polygon is not null) execute function notify_twin_area();
