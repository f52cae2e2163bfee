-- What is known of the things that move: twins of type `trackable`.
create table assets (
  twin_id integer primary key references twins (id) on delete cascade,
  account_id integer not null references accounts (id) on delete cascade,
  category text not null default '',
  inventory_number text not null default '',
  -- where it belongs
  home_zone_id integer references twins (id) on delete set null,
  -- where it was last seen
  zone_id integer references twins (id) on delete set null,
  -- null: it never had a position
  zone_since timestamptz,
  seen_at timestamptz,
  version integer not null default 1,
  search text collate "C" generated always as (
    fold(E'\n' || inventory_number || E'\n' || category || E'\n')) stored
);
create unique index assets_number on assets (account_id, inventory_number) where inventory_number <> '';
create index assets_home on assets (home_zone_id) where home_zone_id is not null;
create index assets_zone on assets (zone_id) where zone_id is not null;

-- Devices that report where an asset is, and those that did.
create table asset_trackers (
  id integer generated always as identity primary key,
  twin_id integer not null references twins (id) on delete cascade,
  device_id integer references twins (id) on delete set null,
  device_title text not null,
  bound_at timestamptz not null,
  bound_by text not null,
  unbound_at timestamptz,
  unbound_by text
);
create unique index asset_trackers_now on asset_trackers (twin_id) where unbound_at is null;
create unique index asset_trackers_device on asset_trackers (device_id) where unbound_at is null;
create index asset_trackers_twin on asset_trackers (twin_id, id);
create index asset_trackers_devices on asset_trackers (device_id) where device_id is not null;

-- Times that assets were in zones.
create table asset_stays (
  id bigint generated always as identity primary key,
  twin_id integer not null references twins (id) on delete cascade,
  zone_id integer references twins (id) on delete set null,
  zone_title text not null,
  from_at timestamptz not null,
  -- null: it still is
  until_at timestamptz
);
create unique index asset_stays_now on asset_stays (twin_id) where until_at is null;
create index asset_stays_twin on asset_stays (twin_id, id);
create index asset_stays_zone on asset_stays (zone_id, until_at) where zone_id is not null;
create index asset_stays_ended on asset_stays (until_at) where until_at is not null;

create table asset_loans (
  id integer generated always as identity primary key,
  twin_id integer not null references twins (id) on delete cascade,
  borrower text not null,
  lent_at timestamptz not null,
  due_at date,
  returned_at timestamptz
);
create unique index asset_loans_now on asset_loans (twin_id) where returned_at is null;
create index asset_loans_twin on asset_loans (twin_id, id);

create index twins_assets on twins (account_id, scope_id) where type = 'trackable' and category = 'digitalTwin';
create index twins_zone_areas on twins (account_id) where type = 'zone' and category = 'digitalTwin';

-- Moves matter once there is a first asset.
create function notify_asset() returns trigger language plpgsql as $$
begin
  perform pg_notify('config_changed', 'assets:' || new.id);
  return null;
end $$;
create trigger twins_asset_insert after insert on twins
  for each row when (new.type = 'trackable') execute function notify_asset();
create trigger twins_asset_update after update of type on twins
  for each row when (new.type = 'trackable' and old.type <> 'trackable') execute function notify_asset();
