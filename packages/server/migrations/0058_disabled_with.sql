-- The twin with which a device was disabled, and with which it is enabled again; null: on its own, or enabled.
alter table twins add column disabled_with integer references twins (id) on delete set null;
create index twins_disabled_with on twins (disabled_with) where disabled_with is not null;

-- So far a device did not remember: it belongs to the nearest disabled twin above it.
with recursive up as (
  select t.id as device_id, p.id, p.parent_id, p.disabled, 1 as level
  from twins t join twins p on p.id = t.parent_id
  where t.category = 'virtualDevice' and t.disabled
  union all
  select up.device_id, p.id, p.parent_id, p.disabled, up.level + 1
  from up join twins p on p.id = up.parent_id
)
update twins t set disabled_with = nearest.id
from (select distinct on (device_id) device_id, id from up where disabled order by device_id, level) as nearest
where t.id = nearest.device_id;
