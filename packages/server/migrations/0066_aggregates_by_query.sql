-- Aggregates by query: the query is in the settings of the state; here is how far its editor could see when it was saved.
create table state_queries (
  state_id integer primary key references states (id) on delete cascade,
  account_id integer not null references accounts (id) on delete cascade,
  -- of the twin of the aggregate
  scope_id integer not null,
  -- below it, what the editor may not see of twins and of devices
  closed_to_twins integer[] not null,
  closed_to_devices integer[] not null
);
create index state_queries_account on state_queries (account_id);

-- The states that a query finds. No foreign key to the members: a deleted one leaves its row, so that the
-- aggregate is found to have changed.
create table state_members (
  state_id integer not null references states (id) on delete cascade,
  source_state_id integer not null,
  primary key (state_id, source_state_id)
);
create index state_members_source on state_members (source_state_id);

create trigger state_members_notice_insert after insert on state_members referencing new table as changed
  for each statement execute function notify_config_changed('state_id');
create trigger state_members_notice_delete after delete on state_members referencing old table as changed
  for each statement execute function notify_config_changed('state_id');
