-- A domain counts for an account once the account has proven it: a TXT record or a file with the token of its claim.
-- Several accounts may claim the same domain, one at most has proven it.
alter table account_domains drop constraint account_domains_pkey;
drop index account_domains_account;
alter table account_domains
  add column id integer generated always as identity primary key,
  -- bound to account and domain by this row; public once it stands in the DNS
  add column token text not null default replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''),
  add column claimed_at timestamptz not null default now(),
  -- null: counts for nothing
  add column proven_at timestamptz,
  -- null with `proven_at`: mapped before domains had to be proven
  add column method text check (method in ('dns', 'file')),
  -- proven, but the proof was not found since then
  add column failing_since timestamptz,
  add column lapsed_at timestamptz,
  add column checked_at timestamptz,
  add column found_dns text,
  add column found_file text,
  add constraint account_domains_once unique (account_id, domain);
create unique index account_domains_proven on account_domains (domain) where proven_at is not null;
create index account_domains_by_name on account_domains (domain);

-- Those that are there go on counting; the start of the server takes away the host of the installation itself.
update account_domains set proven_at = now();
alter table account_domains alter column token drop default;
