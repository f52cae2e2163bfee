-- What wakes a rule is part of it now. Until now every rule had the trigger `values`.
alter table rules
  add column triggers jsonb not null default '[{"kind": "values"}]',
  -- it does not run before; null: it is not paused
  add column paused_until timestamptz;

-- Triggers that wait for the clock, one row for each. The clock of rules turns a row that is due into an event.
create table rule_due (
  rule_id integer not null references rules (id) on delete cascade,
  -- position in `rules.triggers`
  trigger integer not null,
  due_at timestamptz not null,
  -- silence: the state, how long it may be silent, and the time of its value after which the silence was reported
  state_id integer references states (id) on delete cascade,
  silence_ms bigint,
  reported timestamptz,
  primary key (rule_id, trigger)
);
create index rule_due_at on rule_due (due_at);
create index rule_due_state on rule_due (state_id) where state_id is not null;

-- Other things that wake a rule: alarms and the health of a twin, another rule.
create table rule_watches (
  rule_id integer not null references rules (id) on delete cascade,
  kind text not null check (kind in ('alarm', 'health', 'rule')),
  -- a twin, or a rule
  object_id integer not null,
  -- also of twins below it
  below boolean not null,
  primary key (rule_id, kind, object_id)
);
create index rule_watches_object on rule_watches (kind, object_id);

alter table rule_executions
  -- what woke the rule; null: values
  add column cause jsonb;

alter table rule_live
  -- values by state, for the trigger `changes`; null: the rule has no such trigger
  add column seen jsonb;
