-- Sign-ins that failed, for administrators: equal ones of a day are one row, and only the newest are kept.
create table failed_sign_ins (
  id bigint generated always as identity primary key,
  day date not null,
  -- as typed, shortened where nobody has it, as people type passwords into the wrong field; '' for several
  name text not null,
  -- the newest one of the network; '' for several
  address text not null,
  network text not null,
  reason text not null,
  -- the error of a provider of single sign-on, else ''
  code text not null,
  user_id integer references users (id) on delete cascade,
  -- of a provider of single sign-on
  account_id integer references accounts (id) on delete cascade,
  first_at timestamptz not null,
  last_at timestamptz not null,
  times integer not null
);
create unique index failed_sign_ins_same on failed_sign_ins
  (day, network, name, reason, code, coalesce(user_id, 0), coalesce(account_id, 0));
create index failed_sign_ins_last on failed_sign_ins (last_at desc);
create index failed_sign_ins_user on failed_sign_ins (user_id) where user_id is not null;
create index failed_sign_ins_account on failed_sign_ins (account_id) where account_id is not null;
