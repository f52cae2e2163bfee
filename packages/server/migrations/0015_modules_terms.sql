-- Modules of accounts, and an activity log that stays fast with millions of rows.

-- What an account says about a module; without a row it is on as far as the accounts above leave it on.
create table account_modules (
  account_id integer not null references accounts (id) on delete cascade,
  module text not null,
  enabled boolean not null default true,
  -- decided by somebody who administers the account above: the account's own administrators cannot lift it
  from_above boolean not null default false,
  -- new users get the module's role; null inherits
  to_new_users boolean,
  updated_at timestamptz not null,
  -- a missing row counts as version 1
  version integer not null default 2,
  primary key (account_id, module)
);

create trigger account_modules_notice_insert after insert on account_modules referencing new table as changed
  for each statement execute function notify_config_changed('account_id');
create trigger account_modules_notice_update after update on account_modules referencing new table as changed
  for each statement execute function notify_config_changed('account_id');
create trigger account_modules_notice_delete after delete on account_modules referencing old table as changed
  for each statement execute function notify_config_changed('account_id');

-- The role a module gives to new users; made when it is first needed.
alter table roles add column module text unique;

-- The log is read newest first: all of it, that of some accounts, of a user, of a kind of thing, of one thing.
drop index activities_account;
create index activities_at on activities (at desc, id desc);
create index activities_account on activities (account_id, at desc, id desc);
create index activities_user on activities (user_id, at desc, id desc);
create index activities_impersonator on activities (impersonator_id, at desc, id desc)
  where impersonator_id is not null;
create index activities_subject on activities (subject, action, at desc, id desc);
create index activities_object on activities (subject, object_id, at desc, id desc);
create index activities_text on activities
  using gin ((object_title || ' ' || user_name || ' ' || coalesce(impersonator_name, '')) gin_trgm_ops);
