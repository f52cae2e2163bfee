-- Saved filters of other lists than that of devices, and filters that everybody in an account may use.
alter table device_views
  add column kind text not null default 'devices' check (kind in ('devices', 'states')),
  add column shared boolean not null default false;
drop index device_views_title;
create unique index device_views_title on device_views (user_id, kind, lower(title));
drop index device_views_account;
create index device_views_account on device_views (account_id, kind);
