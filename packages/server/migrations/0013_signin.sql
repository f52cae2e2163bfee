-- Signing in: second factors, password mails, sessions that rotate and impersonate, keys for programs.

-- A second factor counts once it is confirmed; until then it is only being set up.
create table second_factors (
  user_id integer primary key references users (id) on delete cascade,
  -- encrypted, see platform/secrets.ts
  secret text not null,
  created_at timestamptz not null,
  confirmed_at timestamptz,
  -- the newest time step a code was taken of: that code and older ones are not taken again
  last_step bigint not null default 0
);

create table recovery_codes (
  user_id integer not null references users (id) on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);

-- Users of the account and of those below it need a second factor.
alter table accounts add column two_factor_required boolean not null default false;

-- Links in mails with which somebody sets a password; each works once.
create table password_tokens (
  token_hash bytea primary key,
  user_id integer not null references users (id) on delete cascade,
  purpose text not null check (purpose in ('reset', 'invite')),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index password_tokens_user on password_tokens (user_id);
create index password_tokens_expires on password_tokens (expires_at);

alter table sessions
  add column id bigint generated always as identity unique,
  -- the token before the last rotation; other tabs may still hold it for a moment
  add column previous_hash bytea unique,
  add column previous_until timestamptz,
  add column rotated_at timestamptz,
  -- the session of the one who acts as this user; ends with it
  add column original_id bigint references sessions (id) on delete cascade;
update sessions set rotated_at = created_at;
alter table sessions alter column rotated_at set not null;
create index sessions_original on sessions (original_id) where original_id is not null;

-- Who really acted when somebody acted as somebody else.
alter table activities
  add column impersonator_id integer,
  add column impersonator_name text;

-- The part of a mail only its recipient may see, encrypted; it stands in the text as {secret}.
alter table mails add column secret text;

create table api_keys (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  title text not null,
  -- the beginning of the key, to tell keys apart
  prefix text not null,
  token_hash bytea not null unique,
  -- the key before the last rotation works until then
  previous_hash bytea unique,
  previous_until timestamptz,
  calls_per_minute smallint not null check (calls_per_minute between 1 and 100),
  valid_from timestamptz,
  valid_until timestamptz,
  scope_id integer not null references scopes (id) on delete cascade,
  role_id integer not null references roles (id) on delete cascade,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  last_used_at timestamptz,
  last_used_ip text not null default '',
  version integer not null default 1,
  check (valid_until > valid_from)
);
create index api_keys_account on api_keys (account_id, title, id);
create index api_keys_scope on api_keys (scope_id);
create index api_keys_role on api_keys (role_id);

-- Caches of sessions and keys drop what has ended or changed, in every process.
do $$
declare
  target record;
begin
  for target in select * from (values ('second_factors', 'user_id'), ('api_keys', 'id')) as t (name, id_column)
  loop
    execute format('create trigger %1$s_notice_insert after insert on %1$I referencing new table as changed
      for each statement execute function notify_config_changed(%2$L)', target.name, target.id_column);
    execute format('create trigger %1$s_notice_update after update on %1$I referencing new table as changed
      for each statement execute function notify_config_changed(%2$L)', target.name, target.id_column);
    execute format('create trigger %1$s_notice_delete after delete on %1$I referencing old table as changed
      for each statement execute function notify_config_changed(%2$L)', target.name, target.id_column);
  end loop;
end $$;
create trigger sessions_notice_delete after delete on sessions referencing old table as changed
  for each statement execute function notify_config_changed('user_id');
