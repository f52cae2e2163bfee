-- A public link is an API key that only public pages accept: it has no role, and is deleted with what it shows.
alter table api_keys
  alter column role_id drop not null,
  add column shared_twin_id integer references twins (id) on delete cascade,
  add column shared_dashboard_id integer references dashboards (id) on delete cascade,
  add constraint api_keys_role_or_link check (num_nonnulls(role_id, shared_twin_id, shared_dashboard_id) = 1);
create unique index api_keys_shared_twin on api_keys (shared_twin_id) where shared_twin_id is not null;
create unique index api_keys_shared_dashboard on api_keys (shared_dashboard_id)
  where shared_dashboard_id is not null;

create table shares (
  key_id integer primary key references api_keys (id) on delete cascade,
  -- encrypted, not hashed: the address of the page is shown again
  sealed_token text not null,
  password_hash text,
  -- web sites that may show the page in a frame
  origins text[] not null default '{}'
);
