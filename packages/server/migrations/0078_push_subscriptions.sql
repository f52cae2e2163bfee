-- Browsers of users that show messages of rules (Web Push).
create table push_subscriptions (
  id integer generated always as identity primary key,
  user_id integer not null references users (id) on delete cascade,
  endpoint text not null,
  -- base64url of SHA-256 of the endpoint
  hash text not null unique,
  -- encrypted: the keys of the browser
  keys text not null,
  label text not null,
  created_at timestamptz not null,
  used_at timestamptz
);
create index push_subscriptions_user on push_subscriptions (user_id);
