-- How the console looks under a domain of an account. The empty domain stands for all addresses that no account has proven;
-- only the brand of the topmost account counts there.
create table brands (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  domain text not null,
  settings jsonb not null,
  version integer not null default 1,
  updated_at timestamptz not null,
  unique (account_id, domain)
);
create index brands_domain on brands (domain);

create table brand_images (
  brand_id integer not null references brands (id) on delete cascade,
  role text not null check (role in ('logo', 'favicon', 'home', 'login')),
  -- SHA-256 in hexadecimal digits; part of the address
  hash text not null,
  width integer not null,
  height integer not null,
  bytes bytea not null,
  primary key (brand_id, role)
);
create index brand_images_hash on brand_images (hash);

-- One row: links of the operator in everybody's drawer, in their order.
create table drawer_links (
  id boolean primary key default true check (id),
  links jsonb not null,
  version integer not null,
  updated_at timestamptz not null
);

create function notify_brands() returns trigger language plpgsql as $$
begin
  perform pg_notify('config_changed', 'brands:*');
  return null;
end
$$;
create trigger brands_notice after insert or update or delete on brands
  for each statement execute function notify_brands();
create trigger brand_images_notice after insert or update or delete on brand_images
  for each statement execute function notify_brands();
create trigger drawer_links_notice after insert or update or delete on drawer_links
  for each statement execute function notify_brands();
-- A brand counts only under a domain that its account has proven.
create trigger account_domains_brands_notice after insert or update of proven_at or delete on account_domains
  for each statement execute function notify_brands();
