-- Times in which work is done somewhere: alarms that open there then count only if they are still open afterwards.
create table alarm_maintenances (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  -- with everything below it; null: the whole account with those below it
  twin_id integer references twins (id) on delete cascade,
  title text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  created_by integer references users (id) on delete set null,
  created_name text not null,
  created_at timestamptz not null default now(),
  check (ends_at > starts_at)
);
create index alarm_maintenances_account on alarm_maintenances (account_id);
create index alarm_maintenances_twin on alarm_maintenances (twin_id) where twin_id is not null;
create index alarm_maintenances_end on alarm_maintenances (ends_at);
create index alarm_maintenances_user on alarm_maintenances (created_by) where created_by is not null;

alter table alarms add column maintenance_id integer references alarm_maintenances (id) on delete set null;
create index alarms_maintenance on alarms (maintenance_id) where maintenance_id is not null;
