-- The mail server of an account and of those below it that have none of their own.
create table account_mail_servers (
  account_id integer primary key references accounts (id) on delete cascade,
  host text not null,
  port integer not null check (port between 1 and 65535),
  security text not null check (security in ('none', 'starttls', 'tls')),
  -- empty: without signing in
  username text not null,
  -- encrypted, for the purpose `mail server:<account_id>`
  password text,
  sender_name text not null,
  sender_address text not null
);

-- Devices of an account are counted before each new one where a limit holds.
create index twins_devices_of_account on twins (account_id) where category = 'virtualDevice';
