-- Who looks after a twin or device. It says nothing about rights.

create table twin_user_relations (
  twin_id integer not null references twins (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  -- 0 service technician, 1 responsible employee
  responsibility smallint not null check (responsibility in (0, 1)),
  created_at timestamptz not null,
  primary key (twin_id, user_id, responsibility)
);
create index twin_user_relations_user on twin_user_relations (user_id);
