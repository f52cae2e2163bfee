-- The platform as a provider of sign-in for other applications (OAuth 2, OpenID Connect).

-- An application of an account; it acts for people only in that account and in those below it.
create table applications (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  -- public: by it the application names itself
  client_id text not null unique,
  title text not null,
  description text not null,
  icon text,
  homepage text,
  -- a public application runs where it can keep no secret: on a desktop, a phone, in a browser
  kind text not null check (kind in ('confidential', 'public')),
  secret_hash bytea,
  secret_prefix text,
  secret_at timestamptz,
  redirect_uris text[] not null,
  -- what it may ask for at most
  scopes text[] not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  check ((kind = 'confidential') = (secret_hash is not null))
);
create index applications_account on applications (account_id, title, id);

-- What a person has allowed an application; without it none of its tokens works.
create table application_grants (
  id bigint generated always as identity primary key,
  -- names the grant in the protocol
  grant_key text not null unique,
  application_id integer not null references applications (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  scopes text[] not null,
  -- it was given in a session whose second factor another provider has checked
  factor_by_provider boolean not null default false,
  created_at timestamptz not null,
  last_used_at timestamptz,
  last_used_ip text not null default '',
  expires_at timestamptz not null,
  unique (user_id, application_id)
);
create index application_grants_application on application_grants (application_id);
create index application_grants_expires on application_grants (expires_at);

-- Requests to sign in, codes and tokens, found by the SHA-256 of what the application holds.
create table oauth_records (
  model text not null,
  key_hash bytea not null,
  -- the protocol's own state, without the token itself
  payload jsonb not null,
  grant_id bigint references application_grants (id) on delete cascade,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  primary key (model, key_hash)
);
create index oauth_records_grant on oauth_records (grant_id) where grant_id is not null;
create index oauth_records_expires on oauth_records (expires_at);

-- Keys with which ID tokens are signed; the newest one signs, older ones are published a while longer.
create table oauth_keys (
  id integer generated always as identity primary key,
  key_id text not null unique,
  -- encrypted, see platform/secrets.ts
  private_key text not null,
  created_at timestamptz not null
);

-- One-time codes with which a session is handed on.
create table exchange_codes (
  code_hash bytea primary key,
  user_id integer not null references users (id) on delete cascade,
  -- a code ends with the session it was made in
  session_id bigint not null references sessions (id) on delete cascade,
  expires_at timestamptz not null
);
create index exchange_codes_session on exchange_codes (session_id);
create index exchange_codes_expires on exchange_codes (expires_at);

-- Which application acted for the user.
alter table activities add column application_name text;

-- Caches drop what has ended or changed, in every process.
create trigger oauth_records_notice_delete after delete on oauth_records referencing old table as changed
  for each statement execute function notify_config_changed('grant_id');
create trigger application_grants_notice_delete after delete on application_grants referencing old table as changed
  for each statement execute function notify_config_changed('id');
create trigger applications_notice_update after update on applications referencing new table as changed
  for each statement execute function notify_config_changed('id');
create trigger oauth_keys_notice_insert after insert on oauth_keys referencing new table as changed
  for each statement execute function notify_config_changed('id');
create trigger oauth_keys_notice_delete after delete on oauth_keys referencing old table as changed
  for each statement execute function notify_config_changed('id');
