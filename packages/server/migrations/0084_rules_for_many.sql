-- null: the rule runs on its own twin; otherwise on the twins that this finds
alter table rules add column many jsonb;

-- How far the last editor of a rule could see, for rules that look for twins or states: as for aggregates by query.
create table rule_reaches (
  rule_id integer primary key references rules (id) on delete cascade,
  account_id integer not null references accounts (id) on delete cascade,
  -- of the twin of the rule
  scope_id integer not null,
  -- below it, what the editor may not see of twins and of devices
  closed_to_twins integer[] not null,
  closed_to_devices integer[] not null,
  -- twins that are found beyond the largest number, on which the rule does not run
  beyond integer not null default 0
);
create index rule_reaches_account on rule_reaches (account_id);

-- The twins that a rule for many runs on.
create table rule_members (
  rule_id integer not null references rules (id) on delete cascade,
  twin_id integer not null references twins (id) on delete cascade,
  primary key (rule_id, twin_id)
);
create index rule_members_twin on rule_members (twin_id);

-- The states of metrics that name them by key, for each twin that the rule runs on. `wakes`: their values wake the rule there.
create table rule_inputs (
  rule_id integer not null references rules (id) on delete cascade,
  twin_id integer not null references twins (id) on delete cascade,
  alias text not null,
  state_id integer not null references states (id) on delete cascade,
  wakes boolean not null,
  primary key (rule_id, twin_id, alias, state_id)
);
create index rule_inputs_twin on rule_inputs (twin_id);
create index rule_inputs_state on rule_inputs (state_id);

create trigger rule_members_notice_insert after insert on rule_members referencing new table as changed
  for each statement execute function notify_config_changed('rule_id');
create trigger rule_members_notice_delete after delete on rule_members referencing old table as changed
  for each statement execute function notify_config_changed('rule_id');
create trigger rule_inputs_notice_insert after insert on rule_inputs referencing new table as changed
  for each statement execute function notify_config_changed('rule_id');
create trigger rule_inputs_notice_update after update on rule_inputs referencing new table as changed
  for each statement execute function notify_config_changed('rule_id');
create trigger rule_inputs_notice_delete after delete on rule_inputs referencing old table as changed
  for each statement execute function notify_config_changed('rule_id');

create index rules_many on rules (account_id) where many is not null;
