-- Which version of another account's driver an account has accepted. A driver reads an account's data: its author decides
-- what is published, those whose data it is decide when they take it. Drivers of the account itself, and those delivered
-- with the platform, follow what is published.
create table driver_acceptances (
  account_id integer not null references accounts (id) on delete cascade,
  driver_id integer not null references drivers (id) on delete cascade,
  version_number integer not null,
  -- empty: accepted together with the first device that used the driver
  accepted_by text not null default '',
  accepted_at timestamptz not null default now(),
  primary key (account_id, driver_id),
  -- a version in use cannot go
  foreign key (driver_id, version_number) references driver_versions (driver_id, number)
);
create index driver_acceptances_driver on driver_acceptances (driver_id, version_number);

-- The version of a driver that runs for an account; null: none that the account has accepted.
create function driver_version_in(a_driver integer, an_account integer) returns integer language sql stable as $$
  select case when d.account_id = an_account or d.library_key is not null then d.published_version
    else (select a.version_number from driver_acceptances a
      where a.account_id = an_account and a.driver_id = d.id) end
  from drivers d where d.id = a_driver
$$;

-- The first device that uses a driver accepts what is published at that moment, if the driver is offered to its account at
-- all. A device that moves to another account takes along the version it had. Done by the table itself, so that no writer
-- can forget.
create function accept_driver_of_device() returns trigger language plpgsql as $$
begin
  if exists (select from driver_acceptances a where a.account_id = new.account_id and a.driver_id = new.driver_id) then
    return null;
  end if;
  insert into driver_acceptances (account_id, driver_id, version_number)
  select new.account_id, d.id, v.number
  from drivers d
  cross join lateral (select case
    when tg_op = 'UPDATE' and old.driver_id = new.driver_id then driver_version_in(d.id, old.account_id)
    when d.visibility = 'everyone' or d.account_id in (
      with recursive up as (
        select id, parent_id from accounts where id = new.account_id
        union all
        select a.id, a.parent_id from accounts a join up on a.id = up.parent_id)
      select id from up) then d.published_version
    end as number) as v
  where d.id = new.driver_id and d.account_id <> new.account_id and d.library_key is null and v.number is not null
  on conflict do nothing;
  return null;
end $$;

create trigger virtual_devices_accept_insert after insert on virtual_devices for each row
  when (new.driver_id is not null) execute function accept_driver_of_device();
create trigger virtual_devices_accept_update after update of driver_id, account_id on virtual_devices for each row
  when (new.driver_id is not null
    and (old.driver_id is distinct from new.driver_id or old.account_id is distinct from new.account_id))
  execute function accept_driver_of_device();

-- What runs today is what was accepted.
insert into driver_acceptances (account_id, driver_id, version_number)
select distinct used.account_id, d.id, d.published_version
from (
  select account_id, driver_id from virtual_devices where driver_id is not null
  union
  select t.account_id, c.driver_id from device_template_contents c join device_templates t on t.id = c.template_id) as used
join drivers d on d.id = used.driver_id
where d.account_id <> used.account_id and d.library_key is null and d.published_version is not null;

-- For everyone is what administrators of the installation offer. What others have offered stays offered to the accounts
-- below theirs; who uses it elsewhere keeps the version above.
update drivers set visibility = 'account', version = version + 1
where visibility = 'everyone' and library_key is null
  and account_id not in (select id from accounts where parent_id is null);

-- Addresses that are opened by a click are of the web, and name nobody's password.
update drivers set specs = specs - 'documentationUrl', version = version + 1
where specs ? 'documentationUrl'
  and coalesce(specs ->> 'documentationUrl', '') !~* '^https?://[^/?#@\\[:space:][:cntrl:]]+([/?#][^\\[:space:][:cntrl:]]*)?$';
update applications set homepage = null
where homepage !~* '^https://[^/?#@\\[:space:][:cntrl:]]+([/?#][^\\[:space:][:cntrl:]]*)?$';

create trigger driver_acceptances_notice_insert after insert on driver_acceptances referencing new table as changed
  for each statement execute function notify_config_changed('driver_id');
create trigger driver_acceptances_notice_update after update on driver_acceptances referencing new table as changed
  for each statement execute function notify_config_changed('driver_id');
create trigger driver_acceptances_notice_delete after delete on driver_acceptances referencing old table as changed
  for each statement execute function notify_config_changed('driver_id');

-- Another version may have another health configuration.
create function note_accepted_health_sync() returns trigger language plpgsql as $$
begin
  insert into driver_health_syncs (driver_id) values (new.driver_id)
  on conflict (driver_id) do update set after_twin_id = 0;
  return null;
end $$;
create trigger driver_acceptances_health_sync after update of version_number on driver_acceptances for each row
  when (old.version_number is distinct from new.version_number)
  execute function note_accepted_health_sync();
