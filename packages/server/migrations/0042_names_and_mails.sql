-- User names and e-mail addresses are one namespace: both are typed into the same field when somebody signs in or has
-- forgotten a password. A name that is another user's address would keep that user out, or take their mails.

-- What counts as the same name: forms of Unicode, spaces around it, upper and lower case.
create function login_name(name text) returns text language sql immutable strict parallel safe as
  $$ select normalize(lower(btrim(normalize(name, NFKC))), NFKC) $$;

create table login_names (
  name text primary key,
  user_id integer not null references users (id) on delete cascade
);
create index login_names_user on login_names (user_id);

-- Who has an address keeps it; of two the same user has had for longer.
insert into login_names (name, user_id)
  select login_name(email), id from users order by id on conflict do nothing;

-- A user name that belongs to somebody else gets a suffix; its owner still signs in with the address.
do $$
declare
  u record;
  renamed text;
  suffix integer;
begin
  for u in select id, account_id, username from users order by id loop
    renamed := u.username;
    suffix := 1;
    loop
      insert into login_names (name, user_id) values (login_name(renamed), u.id) on conflict do nothing;
      exit when exists (select from login_names where name = login_name(renamed) and user_id = u.id)
        and not exists (select from users where lower(username) = lower(renamed) and id <> u.id);
      delete from login_names n where n.name = login_name(renamed) and n.user_id = u.id
        and n.name <> (select login_name(email) from users where id = u.id);
      suffix := suffix + 1;
      renamed := u.username || '-' || suffix;
    end loop;
    if renamed <> u.username then
      update users set username = renamed, version = version + 1, updated_at = now() where id = u.id;
      insert into activities (account_id, user_name, action, subject, object_id, object_title, changes)
        values (u.account_id, 'upgrade', 'update', 'User', u.id, renamed,
          jsonb_build_object('username', jsonb_build_array(u.username, renamed)));
      raise notice 'user % was called % like an address of somebody else and is now called %', u.id, u.username, renamed;
    end if;
  end loop;
end $$;

-- Every way of writing a user keeps the names in step; two at once cannot both get one.
create function keep_login_names() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.username = old.username and new.email = old.email then
    return null;
  end if;
  delete from login_names where user_id = new.id;
  insert into login_names (name, user_id) values (login_name(new.email), new.id) on conflict do nothing;
  if not found then
    raise unique_violation using message = 'the address is a name of another user', constraint = 'users_email';
  end if;
  if login_name(new.username) <> login_name(new.email) then
    insert into login_names (name, user_id) values (login_name(new.username), new.id) on conflict do nothing;
    if not found then
      raise unique_violation using message = 'the user name is a name of another user', constraint = 'users_username';
    end if;
  end if;
  return null;
end $$;
create trigger users_login_names after insert or update of username, email on users
  for each row execute function keep_login_names();

-- Browsers and networks a user has signed in from. What strangers guess does not lock them; each has a count of its own.
create table known_devices (
  id bigint generated always as identity primary key,
  user_id integer not null references users (id) on delete cascade,
  -- SHA-256 of the cookie
  token_hash bytea not null,
  used_at timestamptz not null,
  failed_logins integer not null default 0,
  locked_until timestamptz,
  unique (token_hash, user_id)
);
create index known_devices_user on known_devices (user_id, used_at);
create index known_devices_used on known_devices (used_at);

create table known_networks (
  id bigint generated always as identity primary key,
  user_id integer not null references users (id) on delete cascade,
  -- an IPv4 address, or the first 64 bits of an IPv6 one
  network text not null,
  used_at timestamptz not null,
  failed_logins integer not null default 0,
  locked_until timestamptz,
  unique (user_id, network)
);
create index known_networks_user on known_networks (user_id, used_at);
create index known_networks_used on known_networks (used_at);

alter table users
  -- whoever reads the address has used a link sent there, or it was there before this was asked
  add email_proven boolean not null default true,
  -- wrong passwords and codes of somebody who is signed in already
  add failed_proofs integer not null default 0,
  add proofs_locked_until timestamptz,
  -- when the user was last told by mail that somebody was locked out
  add lock_mail_at timestamptz;

-- What only its recipient may read leaves through the mail server of an account only where that account's
-- administrators may do all that the recipient may do.
alter table mails
  add confidential boolean not null default false,
  add addressee_id integer references users (id) on delete set null,
  -- accounts whose mail servers have seen it, also where they did not take it
  add seen_by integer[] not null default '{}',
  -- what programs call to stop mails like this one
  add unsubscribe_url text;
create index mails_addressee on mails (addressee_id) where addressee_id is not null;
update mails set confidential = true,
  addressee_id = (select id from users where id = case when origin ->> 'userId' ~ '^\d{1,9}$' then (origin ->> 'userId')::integer end)
  where secret is not null;

alter table password_tokens add mail_id bigint references mails (id) on delete set null;
create index password_tokens_mail on password_tokens (mail_id) where mail_id is not null;

-- Mails of rules. What may still be sent is kept here, so that it survives a restart and counts on every node.
create table mail_budgets (
  -- whom or what it bounds: 'rule:12', 'account:3', 'recipient:3:somebody@example.org'
  key text primary key,
  tokens double precision not null,
  at timestamptz not null
);
create index mail_budgets_at on mail_budgets (at);

-- Addresses outside of an account that its rules want to write to, and what whoever reads them says to it.
create table mail_recipients (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  -- in the form of login_name
  address text not null,
  status text not null check (status in ('unconfirmed', 'confirmed', 'declined')),
  -- SHA-256 of the token of the last question, until it ends
  token_hash bytea unique,
  token_ends_at timestamptz,
  asked_at timestamptz,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  unique (account_id, address)
);

-- Mails of rules that were held back, until one mail to the recipient sums them up.
create table mails_held (
  account_id integer not null references accounts (id) on delete cascade,
  address text not null,
  times integer not null,
  first_at timestamptz not null,
  -- titles of the first rules, for the mail
  rules text[] not null,
  primary key (account_id, address)
);
create index mails_held_first on mails_held (first_at);

-- Rules that write to outside addresses today have done so before anybody asked: they go on, and every mail from now on
-- carries a link that ends it.
insert into mail_recipients (account_id, address, status, decided_at)
  select distinct r.account_id, login_name(address), 'confirmed', now()
  from rules r
    cross join lateral jsonb_array_elements(r.actions) action
    cross join lateral jsonb_array_elements_text(action -> 'recipients') address
  where action ->> 'kind' = 'email'
  on conflict do nothing;
