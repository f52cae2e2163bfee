-- Reminders of open alarms: when the next one is due.
create table rule_escalations (
  alarm_id bigint primary key references alarms (id) on delete cascade,
  rule_id integer not null references rules (id) on delete cascade,
  next_at timestamptz not null,
  -- reminders so far
  sent integer not null default 0
);
create index rule_escalations_next on rule_escalations (next_at);
create index rule_escalations_rule on rule_escalations (rule_id);
