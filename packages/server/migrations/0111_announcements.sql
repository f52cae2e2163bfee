-- What administrators tell the people of an account.
create table announcements (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  type text not null check (type in ('info', 'warning', 'error', 'success')),
  -- on top of every page, or on the home page
  presentation text not null check (presentation in ('banner', 'message')),
  text text not null,
  link_url text,
  link_text text,
  -- whether users of the accounts below see it as well
  sub_accounts boolean not null,
  active boolean not null,
  -- null: at once, and until it is deactivated
  starts_at timestamptz,
  ends_at timestamptz,
  -- when it begins or ends next, if it is active; null: nothing is to happen
  next_at timestamptz,
  created_at timestamptz not null default now(),
  version integer not null default 1,
  check (starts_at < ends_at),
  check ((link_url is null) = (link_text is null))
);
create index announcements_account on announcements (account_id, id);
create index announcements_next on announcements (next_at) where next_at is not null;

-- Who has closed an announcement: they never see it again.
create table announcement_dismissals (
  announcement_id integer not null references announcements (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  at timestamptz not null default now(),
  primary key (announcement_id, user_id)
);
create index announcement_dismissals_user on announcement_dismissals (user_id);
