-- Maintenance of the devices of a smart group, and notifications about them. A group that is named cannot be deleted; with
-- the account of the group all of this goes.
alter table alarm_maintenances
  add column group_id integer references smart_groups (id) on delete cascade,
  add constraint alarm_maintenances_place check (twin_id is null or group_id is null);
create index alarm_maintenances_group on alarm_maintenances (group_id) where group_id is not null;

alter table alarm_notifications add column group_id integer references smart_groups (id) on delete cascade;
create index alarm_notifications_group on alarm_notifications (group_id) where group_id is not null;
