-- Devices are counted, grouped and put on maps without a look at their twins: at 100 000 devices the join took most of the
-- time. What of a twin that needs stands a second time where it is counted, kept equal by triggers whoever writes.

alter table virtual_devices
  add column account_id integer not null default 0,
  add column scope_id integer not null default 0,
  add column created_at timestamptz not null default now();
update virtual_devices d set account_id = t.account_id, scope_id = t.scope_id, created_at = t.created_at
  from twins t where t.id = d.twin_id;

alter table device_live
  add column account_id integer not null default 0,
  add column scope_id integer not null default 0,
  add column latitude double precision,
  add column longitude double precision;
update device_live l
  set account_id = t.account_id, scope_id = t.scope_id, latitude = t.latitude, longitude = t.longitude
  from twins t where t.id = l.twin_id;

create function virtual_devices_copy() returns trigger language plpgsql as $$
begin
  select account_id, scope_id, created_at into new.account_id, new.scope_id, new.created_at
    from twins where id = new.twin_id;
  return new;
end $$;
create trigger virtual_devices_copy before insert on virtual_devices
  for each row execute function virtual_devices_copy();

create function device_live_copy() returns trigger language plpgsql as $$
begin
  select account_id, scope_id, latitude, longitude into new.account_id, new.scope_id, new.latitude, new.longitude
    from twins where id = new.twin_id;
  return new;
end $$;
create trigger device_live_copy before insert on device_live for each row execute function device_live_copy();

create function twins_copy_to_device() returns trigger language plpgsql as $$
begin
  update virtual_devices set account_id = new.account_id, scope_id = new.scope_id, created_at = new.created_at
    where twin_id = new.id
      and (account_id, scope_id, created_at) is distinct from (new.account_id, new.scope_id, new.created_at);
  update device_live set account_id = new.account_id, scope_id = new.scope_id, latitude = new.latitude,
      longitude = new.longitude
    where twin_id = new.id;
  return null;
end $$;
create trigger twins_copy_to_device after update of account_id, scope_id, created_at, latitude, longitude on twins
  for each row when (new.category = 'virtualDevice'
    and (old.account_id, old.scope_id, old.created_at, old.latitude, old.longitude)
      is distinct from (new.account_id, new.scope_id, new.created_at, new.latitude, new.longitude))
  execute function twins_copy_to_device();

-- The time of creation is read from the devices now.
drop index twins_devices;
create index twins_devices on twins (account_id, scope_id, id) where category = 'virtualDevice';
