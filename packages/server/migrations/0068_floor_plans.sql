-- A floor has at most one plan: a picture with the role `plan`, and where it lies on the map.
alter table files drop constraint files_role_check;
alter table files add constraint files_role_check
  check (role in ('attachment', 'picture') or (role = 'plan' and twin_id is not null));
create unique index files_twin_plan on files (twin_id) where role = 'plan';

create table floor_plans (
  twin_id integer primary key references twins (id) on delete cascade,
  file_id integer not null unique references files (id) on delete cascade,
  -- longitude and latitude of the top left, top right, bottom right and bottom left corner of the picture
  corners double precision[] not null check (cardinality(corners) = 8),
  opacity real not null check (opacity between 0 and 1)
);
