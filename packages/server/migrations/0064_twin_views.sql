-- Saved filters of the list of twins.
alter table device_views drop constraint device_views_kind_check;
alter table device_views add constraint device_views_kind_check check (kind in ('devices', 'states', 'twins'));
