-- Single sign-on: providers that vouch for the people of an account.

create table sso_clients (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  kind text not null check (kind in ('oidc', 'oauth2')),
  -- in the addresses of the client: each has a place of its own to come back to, so that an answer meant for one
  -- provider cannot be handed to another
  key text not null unique,
  title text not null,
  -- a picture as data: address
  logo text,
  active boolean not null,
  client_id text not null,
  -- encrypted, see platform/secrets.ts; null: a public client
  client_secret text,
  -- where the provider is and what it says where; the schema is in the contract
  settings jsonb not null,
  create_users boolean not null,
  link_users boolean not null,
  trust_emails boolean not null,
  map_every_time boolean not null,
  second_factor text not null check (second_factor in ('own', 'amr', 'provider')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1
);
create index sso_clients_account on sso_clients (account_id, kind, title, id);

-- Who gets which role where; without a claim: whom nothing else fits.
create table sso_mappings (
  client_id integer not null references sso_clients (id) on delete cascade,
  place smallint not null,
  claim text,
  value text,
  scope_id integer not null references scopes (id) on delete cascade,
  role_id integer not null references roles (id) on delete cascade,
  primary key (client_id, place),
  check ((claim is null) = (value is null))
);
create index sso_mappings_scope on sso_mappings (scope_id);
create index sso_mappings_role on sso_mappings (role_id);

-- Whom a provider knows by which name. The address of a person may change or move on to another one, this does not.
create table sso_identities (
  client_id integer not null references sso_clients (id) on delete cascade,
  subject text not null,
  user_id integer not null references users (id) on delete cascade,
  created_at timestamptz not null,
  last_login_at timestamptz not null,
  primary key (client_id, subject)
);
create index sso_identities_user on sso_identities (user_id);

-- Sign-ins that came back already: each comes back once.
create table sso_answers (
  state_hash bytea primary key,
  expires_at timestamptz not null
);
create index sso_answers_expires on sso_answers (expires_at);

alter table sessions
  -- begun with this client; ends with it
  add column sso_client_id integer references sso_clients (id) on delete cascade,
  -- the provider has asked for a second factor
  add column factor_by_provider boolean not null default false;
create index sessions_sso_client on sessions (sso_client_id) where sso_client_id is not null;
